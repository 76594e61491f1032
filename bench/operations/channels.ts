import { findChannel } from "../../shared/store/channels/channels.ts";
import { fillTopic } from "../../test/support/table/fill-topic.ts";
import { type Operation, operation, withPreparation } from "./operation.ts";

/** Channels, subscriptions, topics and folders. */
export const channelOperations: readonly Operation[] = [
  operation("channels", "GET /streams"),
  operation("a channel", "GET /streams/{channel.id}"),
  operation("a channel's ID", "GET /get_stream_id", ({ channel }) => ({ stream: channel.name })),
  operation("a channel's email address", "GET /streams/{channel.id}/email_address"),
  operation("a channel's subscribers", "GET /streams/{channel.id}/members"),
  operation("a channel's topics", "GET /users/me/{channel.id}/topics"),
  operation("create a channel", "POST /channels/create", ({ suffix, member }) => ({
    name: `made ${suffix}`,
    subscribers: [member.id],
  })),
  operation("change a channel", "PATCH /streams/{create a channel.id}", () => ({ description: "d" }), "owner"),
  operation(
    "add a default channel",
    "POST /default_streams",
    ({ replies }) => ({ stream_id: replies["create a channel"].id }),
    "owner",
  ),
  operation(
    "remove a default channel",
    "DELETE /default_streams",
    ({ replies }) => ({ stream_id: replies["create a channel"].id }),
    "owner",
  ),
  operation("subscriptions", "GET /users/me/subscriptions"),
  operation("a user's channels", "GET /users/{other.id}/channels"),
  operation("check whether a user is subscribed", "GET /users/{other.id}/subscriptions/{channel.id}"),
  operation(
    "subscribe",
    "POST /users/me/subscriptions",
    ({ suffix }) => ({ subscriptions: [{ name: `made ${suffix}` }] }),
    "other",
  ),
  operation(
    "subscribe and unsubscribe",
    "PATCH /users/me/subscriptions",
    ({ suffix }) => ({ delete: [`made ${suffix}`] }),
    "other",
  ),
  operation("unsubscribe", "DELETE /users/me/subscriptions", ({ suffix }) => ({ subscriptions: [`made ${suffix}`] })),
  operation("pin a channel", "POST /users/me/subscriptions/properties", ({ channel }) => ({
    subscription_data: [{ stream_id: channel.id, property: "pin_to_top", value: true }],
  })),
  operation("follow a topic", "POST /user_topics", ({ channel, topic }) => ({
    stream_id: channel.id,
    topic,
    visibility_policy: 3,
  })),
  operation("mute a topic (legacy endpoint)", "PATCH /users/me/subscriptions/muted_topics", ({ channel, topic }) => ({
    stream_id: channel.id,
    topic,
    op: "add",
  })),
  operation("send the first message of a topic", "POST /messages", ({ replies }) => ({
    type: "channel",
    to: replies["create a channel"].id,
    topic: "gone soon",
    content: "x",
  })),
  withPreparation(
    async ({ replies, member }) => {
      const channel = await findChannel(replies["create a channel"].id);
      if (channel) await fillTopic(member, channel, "gone soon", 99);
    },
    operation(
      "delete a topic of 100 messages",
      "POST /streams/{create a channel.id}/delete_topic",
      () => ({ topic_name: "gone soon" }),
      "owner",
    ),
  ),
  operation("archive a channel", "DELETE /streams/{create a channel.id}", undefined, "owner"),
  operation("create a folder", "POST /channel_folders/create", ({ suffix }) => ({ name: `folder ${suffix}` }), "owner"),
  operation("folders", "GET /channel_folders"),
  operation(
    "change a folder",
    "PATCH /channel_folders/{create a folder.channel_folder_id}",
    () => ({ description: "d" }),
    "owner",
  ),
  operation(
    "reorder folders",
    "PATCH /channel_folders",
    ({ replies }) => ({ order: replies.folders.channel_folders.map((folder: { id: number }) => folder.id) }),
    "owner",
  ),
];
