import { topicKey, type VisibilityPolicy, visibilityPolicies } from "../model.ts";
import { channelOf, isPermission, subscriptionOf } from "../snapshot.ts";
import { withoutUnread } from "../unread.ts";
import { type Handler, type Handlers, updatedMap, without } from "./handler.ts";

/** Events about channels, folders, topics and subscriptions. */

const updateSubscriptions: Handler = (state, event) => {
  switch (event.op) {
    case "add": {
      const subscriptions = new Map(state.subscriptions);
      const channels = new Map(state.channels);
      for (const record of event.subscriptions) {
        subscriptions.set(record.stream_id, subscriptionOf(record));
        channels.set(record.stream_id, channelOf(record));
      }
      return { ...state, subscriptions, channels };
    }
    case "remove": {
      const leftIds = new Set((event.subscriptions as { stream_id: number }[]).map(({ stream_id }) => stream_id));
      const unreadIds = [...state.unread.byConversation.values()].flatMap(({ conversation, ids }) =>
        conversation.kind === "topic" && leftIds.has(conversation.channelId) ? [...ids] : [],
      );
      return {
        ...state,
        subscriptions: without(state.subscriptions, leftIds),
        unread: withoutUnread(state.unread, new Set(unreadIds)),
      };
    }
    case "update":
      return {
        ...state,
        subscriptions: updatedMap(state.subscriptions, event.stream_id, (subscription) =>
          event.property in subscription ? { ...subscription, [event.property]: event.value } : subscription,
        ),
      };
    case "peer_add":
    case "peer_remove": {
      const countChange = (event.op === "peer_add" ? 1 : -1) * event.user_ids.length;
      let channels = state.channels;
      for (const id of event.stream_ids)
        channels = updatedMap(channels, id, (channel) => ({
          ...channel,
          subscriber_count: Math.max(0, channel.subscriber_count + countChange),
        }));
      return { ...state, channels };
    }
    default:
      return state;
  }
};

const updateChannels: Handler = (state, event) => {
  if (event.op === "create") {
    const channels = new Map(state.channels);
    for (const record of event.streams) channels.set(record.stream_id, channelOf(record));
    return { ...state, channels };
  }
  if (event.op === "update")
    return {
      ...state,
      channels: updatedMap(state.channels, event.stream_id, (channel) => ({
        ...channel,
        ...(isPermission(event.property)
          ? { permissions: { ...channel.permissions, [event.property]: event.value } }
          : { [event.property]: event.value }),
        ...(event.rendered_description !== undefined && { rendered_description: event.rendered_description }),
        ...(event.is_web_public !== undefined && { is_web_public: event.is_web_public }),
      })),
    };
  const ids = event.stream_ids ?? (event.streams as { stream_id: number }[]).map(({ stream_id }) => stream_id);
  return { ...state, channels: without(state.channels, ids), subscriptions: without(state.subscriptions, ids) };
};

export const channelHandlers: Handlers = {
  subscription: updateSubscriptions,
  stream: updateChannels,
  user_topic: (state, event) => {
    const key = topicKey(event.stream_id, event.topic_name);
    const topicPolicies = new Map(state.topicPolicies);
    if (event.visibility_policy === visibilityPolicies.inherited) topicPolicies.delete(key);
    else topicPolicies.set(key, event.visibility_policy as VisibilityPolicy);
    return { ...state, topicPolicies };
  },
  channel_folder: (state, event) => {
    if (event.op === "add")
      return { ...state, folders: new Map(state.folders).set(event.channel_folder.id, event.channel_folder) };
    if (event.op === "update")
      return {
        ...state,
        folders: updatedMap(state.folders, event.channel_folder_id, (folder) => ({ ...folder, ...event.data })),
      };
    // The other operation is "reorder".
    const positions = new Map((event.order as number[]).map((id, index) => [id, index]));
    return {
      ...state,
      folders: new Map(
        [...state.folders].map(([id, folder]) => [id, { ...folder, order: positions.get(id) ?? folder.order }]),
      ),
    };
  },
};
