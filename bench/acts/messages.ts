import { ordinaryText } from "../../test/support/table/seeding.ts";
import { type Act, act, followingAtOnce, narrowTo, newest100 } from "./act.ts";

/** Registration, polls and messages. Acts that are expensive only the first time come first. */
export const messageActs: readonly Act[] = [
  act("server settings", "GET /server_settings", undefined, "nobody"),
  act("emoji data", "GET /emoji_data", undefined, "nobody"),
  act("list users (development)", "GET /dev_list_users", undefined, "nobody"),
  act(
    "fetch an API key (development)",
    "POST /dev_fetch_api_key",
    ({ member }) => ({ username: member.email }),
    "nobody",
  ),
  act(
    "fetch an API key by password",
    "POST /fetch_api_key",
    () => ({ username: "owner@globe.test", password: "all-the-world-is-a-stage" }),
    "nobody",
  ),
  act("register", "POST /register"),
  act("register, without users and channels", "POST /register", () => ({ fetch_event_types: ["message"] })),
  act("poll, nothing new", "GET /events", ({ replies }) => ({
    queue_id: replies.register.queue_id,
    last_event_id: replies.register.last_event_id,
    dont_block: true,
  })),
  act("send to a channel", "POST /messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: ordinaryText,
  })),
  followingAtOnce(
    act("send directly", "POST /messages", ({ other }) => ({ type: "direct", to: [other.id], content: ordinaryText })),
  ),
  followingAtOnce(
    act("poll, one message", "GET /events", ({ replies }) => ({
      queue_id: replies.register.queue_id,
      last_event_id: replies.register.last_event_id,
      dont_block: true,
    })),
  ),
  followingAtOnce(act("check for events", "GET /events/{register.queue_id}/{register.last_event_id}/look")),
  act("delete an event queue", "DELETE /events", ({ replies }) => ({ queue_id: replies.register.queue_id })),
  act("fetch 100 of a channel", "GET /messages", (context) => ({
    ...newest100,
    narrow: [["channel", context.channel.name]],
  })),
  act("fetch 100 of a topic", "GET /messages", (context) => ({ ...newest100, narrow: narrowTo(context) })),
  act("fetch 100 of all messages", "GET /messages", () => newest100),
  act("fetch around the first unread", "GET /messages", (context) => ({
    anchor: "first_unread",
    num_before: 50,
    num_after: 50,
    narrow: [["channel", context.channel.name]],
  })),
  act("fetch 100 of a sender", "GET /messages", ({ other }) => ({
    ...newest100,
    narrow: [{ operator: "sender", operand: other.id }],
  })),
  act("fetch starred messages", "GET /messages", () => ({ ...newest100, narrow: [["is", "starred"]] })),
  act("fetch direct messages", "GET /messages", () => ({ ...newest100, narrow: [["is", "dm"]] })),
  act("fetch one message", "GET /messages/{newestId}"),
  act("check whether a message matches a narrow", "GET /messages/matches_narrow", (context) => ({
    msg_ids: [context.newestId],
    narrow: narrowTo(context),
  })),
  act("render a message", "POST /messages/render", () => ({ content: "**bold** and `code`" })),
  act("edit a message", "PATCH /messages/{send to a channel.id}", () => ({ content: `${ordinaryText} edited` })),
  act("fetch a message's edit history", "GET /messages/{send to a channel.id}/history"),
  act("fetch read receipts", "GET /messages/{send to a channel.id}/read_receipts"),
  act("add a reaction", "POST /messages/{newestId}/reactions", () => ({ emoji_name: "tada" })),
  act("remove a reaction", "DELETE /messages/{newestId}/reactions", () => ({ emoji_name: "tada" })),
  act("star a message", "POST /messages/flags", ({ newestId }) => ({
    messages: [newestId],
    op: "add",
    flag: "starred",
  })),
  act("mark 900 as read", "POST /messages/flags", ({ newestId }) => ({
    messages: Array.from({ length: 900 }, (_, n) => newestId - n),
    op: "add",
    flag: "read",
  })),
  act("mark a narrow as read", "POST /messages/flags/narrow", (context) => ({
    ...newest100,
    narrow: narrowTo(context),
    op: "add",
    flag: "read",
  })),
  act("mark a topic as read", "POST /mark_topic_as_read", ({ channel, topic }) => ({
    stream_id: channel.id,
    topic_name: topic,
  })),
  act("mark a channel as read", "POST /mark_stream_as_read", ({ channel }) => ({ stream_id: channel.id })),
  act("mark all as read", "POST /mark_all_as_read"),
  act("register, all read", "POST /register"),
  act("mark one message as read", "POST /messages/flags", ({ newestId }) => ({
    messages: [newestId],
    op: "add",
    flag: "read",
  })),
  act("report typing", "POST /typing", ({ channel, topic }) => ({
    type: "stream",
    op: "start",
    stream_id: channel.id,
    topic,
  })),
  act("report typing in an edit", "POST /messages/{send to a channel.id}/typing", () => ({ op: "start" })),
  act("send a poll", "POST /messages", ({ channel, topic }) => ({
    type: "channel",
    to: channel.id,
    topic,
    content: "/poll Tea?\nyes\nno",
  })),
  act("vote in a poll", "POST /submessage", ({ replies }) => ({
    message_id: replies["send a poll"].id,
    msg_type: "widget",
    content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
  })),
  act("delete a message", "DELETE /messages/{send to a channel.id}", undefined, "owner"),
];
