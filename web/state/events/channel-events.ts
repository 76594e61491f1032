import { type State, topicKey, type VisibilityPolicy, visibilityPolicies } from "../model.ts";
import { list } from "../readers.ts";
import { channelOf, folderOf, policyOf, subscriptionOf } from "../records.ts";
import { withoutUnread } from "../unread.ts";
import { type Handler, type Handlers, updatedMap, without } from "./handler.ts";

/** Events about channels, folders, topics and subscriptions. */

const withMoreSubscribers = (channels: State["channels"], ids: Iterable<number>, countChange: number) =>
  [...ids].reduce(
    (changed, id) =>
      updatedMap(changed, id, (channel) => ({
        ...channel,
        subscriber_count: Math.max(0, channel.subscriber_count + countChange),
      })),
    channels,
  );

const updateSubscriptions: Handler<"subscription"> = (state, event) => {
  switch (event.op) {
    case "add": {
      const subscriptions = new Map(state.subscriptions);
      const channels = new Map(state.channels);
      for (const record of list(subscriptionOf)(event.subscriptions)) subscriptions.set(record.stream_id, record);
      for (const record of list(channelOf)(event.subscriptions)) channels.set(record.stream_id, record);
      return { ...state, subscriptions, channels };
    }
    case "remove": {
      const leftIds = new Set(event.subscriptions.map(({ stream_id }) => stream_id));
      const unreadIds = [...state.unread.byConversation.values()].flatMap(({ conversation, ids }) =>
        conversation.kind === "topic" && leftIds.has(conversation.channelId) ? [...ids] : [],
      );
      return {
        ...state,
        subscriptions: without(state.subscriptions, leftIds),
        channels: withMoreSubscribers(state.channels, leftIds, -1),
        unread: withoutUnread(state.unread, new Set(unreadIds)),
      };
    }
    case "update":
      return {
        ...state,
        subscriptions: updatedMap(state.subscriptions, event.stream_id, (subscription) =>
          subscriptionOf({ ...subscription, [event.property]: event.value }),
        ),
      };
    case "peer_add":
    case "peer_remove": {
      const countChange = (event.op === "peer_add" ? 1 : -1) * event.user_ids.length;
      return { ...state, channels: withMoreSubscribers(state.channels, event.stream_ids, countChange) };
    }
    default:
      return state;
  }
};

const updateChannels: Handler<"stream"> = (state, event) => {
  if (event.op === "create") {
    const channels = new Map(state.channels);
    for (const record of list(channelOf)(event.streams)) channels.set(record.stream_id, record);
    return { ...state, channels };
  }
  if (event.op === "update")
    return {
      ...state,
      channels: updatedMap(state.channels, event.stream_id, ({ permissions, ...properties }) => {
        return channelOf({
          ...properties,
          ...permissions,
          ...("rendered_description" in event && { rendered_description: event.rendered_description }),
          ...("is_web_public" in event && { is_web_public: event.is_web_public }),
          [event.property]: event.value,
        });
      }),
    };
  return {
    ...state,
    channels: without(state.channels, event.stream_ids),
    subscriptions: without(state.subscriptions, event.stream_ids),
  };
};

export function withTopicPolicy(state: State, channelId: number, topic: string, policy: VisibilityPolicy): State {
  const topicPolicies = new Map(state.topicPolicies);
  if (policy === visibilityPolicies.inherited) topicPolicies.delete(topicKey(channelId, topic));
  else topicPolicies.set(topicKey(channelId, topic), policy);
  return { ...state, topicPolicies };
}

export const channelHandlers: Handlers = {
  subscription: updateSubscriptions,
  stream: updateChannels,
  user_topic: (state, event) =>
    withTopicPolicy(state, event.stream_id, event.topic_name, policyOf(event.visibility_policy)),
  channel_folder: (state, event) => {
    if (event.op === "add")
      return { ...state, folders: new Map(state.folders).set(event.channel_folder.id, folderOf(event.channel_folder)) };
    if (event.op === "update")
      return {
        ...state,
        folders: updatedMap(state.folders, event.channel_folder_id, (folder) => folderOf({ ...folder, ...event.data })),
      };
    // The other operation is "reorder".
    const positions = new Map(event.order.map((id, index) => [id, index]));
    return {
      ...state,
      folders: new Map(
        [...state.folders].map(([id, folder]) => [id, { ...folder, order: positions.get(id) ?? folder.order }]),
      ),
    };
  },
};
