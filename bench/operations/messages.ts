import { ordinaryText } from "../../test/support/table/seeding.ts";
import { followingAtOnce, narrowTo, newest100, type Operation, operation } from "./operation.ts";

/** Registration, polls and messages. Operations that are expensive only the first time come first. */
export const messageOperations: readonly Operation[] = [
  operation("server settings", "GET /server_settings", undefined, "nobody"),
  operation("emoji data", "GET /emoji_data", undefined, "nobody"),
  operation("list users (development)", "GET /dev_list_users", undefined, "nobody"),
  operation(
    "fetch an API key (development)",
    "POST /dev_fetch_api_key",
    ({ member }) => ({ username: member.email }),
    "nobody",
  ),
  operation(
    "fetch an API key by password",
    "POST /fetch_api_key",
    () => ({ username: "owner@globe.test", password: "all-the-world-is-a-stage" }),
    "nobody",
  ),
  operation("register", "POST /register"),
  operation("register, without users and channels", "POST /register", () => ({ fetch_event_types: ["message"] })),
  operation("poll, nothing new", "GET /events", ({ replies }) => ({
    queue_id: replies.register.queue_id,
    last_event_id: replies.register.last_event_id,
    dont_block: true,
  })),
  operation("send to a channel", "POST /messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: ordinaryText,
  })),
  followingAtOnce(
    operation("send directly", "POST /messages", ({ other }) => ({
      type: "direct",
      to: [other.id],
      content: ordinaryText,
    })),
  ),
  followingAtOnce(
    operation("poll, one message", "GET /events", ({ replies }) => ({
      queue_id: replies.register.queue_id,
      last_event_id: replies.register.last_event_id,
      dont_block: true,
    })),
  ),
  followingAtOnce(operation("check for events", "GET /events/{register.queue_id}/{register.last_event_id}/look")),
  operation("delete an event queue", "DELETE /events", ({ replies }) => ({ queue_id: replies.register.queue_id })),
  operation("fetch 100 of a channel", "GET /messages", (context) => ({
    ...newest100,
    narrow: [["channel", context.channel.name]],
  })),
  operation("fetch 100 of a topic", "GET /messages", (context) => ({ ...newest100, narrow: narrowTo(context) })),
  operation("fetch 100 of all messages", "GET /messages", () => newest100),
  operation("fetch around the first unread", "GET /messages", (context) => ({
    anchor: "first_unread",
    num_before: 50,
    num_after: 50,
    narrow: [["channel", context.channel.name]],
  })),
  operation("fetch 100 of a sender", "GET /messages", ({ other }) => ({
    ...newest100,
    narrow: [{ operator: "sender", operand: other.id }],
  })),
  operation("fetch starred messages", "GET /messages", () => ({ ...newest100, narrow: [["is", "starred"]] })),
  operation("fetch direct messages", "GET /messages", () => ({ ...newest100, narrow: [["is", "dm"]] })),
  operation("fetch one message", "GET /messages/{newestId}"),
  operation("check whether a message matches a narrow", "GET /messages/matches_narrow", (context) => ({
    msg_ids: [context.newestId],
    narrow: narrowTo(context),
  })),
  operation("render a message", "POST /messages/render", () => ({ content: "**bold** and `code`" })),
  operation("edit a message", "PATCH /messages/{send to a channel.id}", () => ({ content: `${ordinaryText} edited` })),
  operation("fetch a message's edit history", "GET /messages/{send to a channel.id}/history"),
  operation("fetch read receipts", "GET /messages/{send to a channel.id}/read_receipts"),
  operation("add a reaction", "POST /messages/{newestId}/reactions", () => ({ emoji_name: "tada" })),
  operation("remove a reaction", "DELETE /messages/{newestId}/reactions", () => ({ emoji_name: "tada" })),
  operation("star a message", "POST /messages/flags", ({ newestId }) => ({
    messages: [newestId],
    op: "add",
    flag: "starred",
  })),
  operation("mark 900 as read", "POST /messages/flags", ({ newestId }) => ({
    messages: Array.from({ length: 900 }, (_, n) => newestId - n),
    op: "add",
    flag: "read",
  })),
  operation("mark a narrow as read", "POST /messages/flags/narrow", (context) => ({
    ...newest100,
    narrow: narrowTo(context),
    op: "add",
    flag: "read",
  })),
  operation("mark a topic as read", "POST /mark_topic_as_read", ({ channel, topic }) => ({
    stream_id: channel.id,
    topic_name: topic,
  })),
  operation("mark a channel as read", "POST /mark_stream_as_read", ({ channel }) => ({ stream_id: channel.id })),
  operation("mark all as read", "POST /mark_all_as_read"),
  operation("register, all read", "POST /register"),
  operation("mark one message as read", "POST /messages/flags", ({ newestId }) => ({
    messages: [newestId],
    op: "add",
    flag: "read",
  })),
  operation("report typing", "POST /typing", ({ channel, topic }) => ({
    type: "stream",
    op: "start",
    stream_id: channel.id,
    topic,
  })),
  operation("report typing in an edit", "POST /messages/{send to a channel.id}/typing", () => ({ op: "start" })),
  operation("send a poll", "POST /messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: "/poll Tea?\nyes\nno",
  })),
  operation("vote in a poll", "POST /submessage", ({ replies }) => ({
    message_id: replies["send a poll"].id,
    msg_type: "widget",
    content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
  })),
  operation("delete a message", "DELETE /messages/{send to a channel.id}", undefined, "owner"),
];
