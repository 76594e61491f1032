import { appendToList, trimMessages } from "../lists.ts";
import {
  type Conversation,
  conversationKey,
  conversationOf,
  directConversation,
  type Message,
  type Reaction,
  type State,
  topicKey,
  type Unread,
} from "../model.ts";
import { matches, narrowKey } from "../narrow.ts";
import { ids, messageOf } from "../records.ts";
import { isMention, withoutUnread, withUnread } from "../unread.ts";
import { type Context, type EventOf, type Handler, type Handlers, updatedMap, without } from "./handler.ts";
import { withoutTyping } from "./typing-events.ts";

/** Events about messages: new ones, edits, moves, deletions, flags and reactions. */

const addMessage: Handler<"message"> = (state, event, context) => {
  const message = messageOf({ ...event.message, flags: event.flags });
  const conversation = conversationOf(message, state.userId);
  const messages = new Map(state.messages).set(message.id, message);
  const isRead = message.flags.includes("read");
  const next: State = {
    ...state,
    messages,
    unread: isRead ? state.unread : withUnread(state.unread, conversation, [message.id], isMention(message)),
    recentDirect:
      conversation.kind === "direct"
        ? new Map(state.recentDirect).set(conversationKey(conversation), { conversation, maxId: message.id })
        : state.recentDirect,
    typing: withoutTyping(state.typing, conversationKey(conversation), message.sender_id),
  };
  return trimMessages({ ...next, lists: listsWith(next, message, context) }, context.narrows);
};

/** Appends a message to the open lists that are complete up to the newest message. */
function listsWith(state: State, message: Message, { narrows, firstOnScreen }: Context): State["lists"] {
  const lists = new Map(state.lists);
  for (const narrow of narrows) {
    const key = narrowKey(narrow);
    const list = lists.get(key);
    if (!list?.foundNewest || matches(narrow, message, state) !== true || list.ids.includes(message.id)) continue;
    lists.set(key, appendToList(list, message.id, firstOnScreen));
  }
  // Lists that are not on the screen do not get the message, so they no longer reach the newest one.
  const open = new Set(narrows.map(narrowKey));
  for (const [key, list] of lists)
    if (!open.has(key) && list.foundNewest) lists.set(key, { ...list, foundNewest: false });
  return lists;
}

/** An edit may add a mention of the user to an unread message, or remove one. */
function withMentionIn(unread: Unread, { message_id: id, flags, rendered_content }: EventOf<"update_message">): Unread {
  const isMentioned = rendered_content === undefined ? unread.mentions.has(id) : isMention({ flags: flags ?? [] });
  const isUnread = [...unread.byConversation.values()].some(({ ids }) => ids.has(id));
  if (!isUnread || isMentioned === unread.mentions.has(id)) return unread;
  const others = [...unread.mentions].filter((other) => other !== id);
  return { ...unread, mentions: new Set(isMentioned ? [...others, id] : others) };
}

const updateMessages: Handler<"update_message"> = (state, event) => {
  const ids = event.message_ids;
  const messages = new Map(state.messages);
  const isMove = event.new_stream_id !== undefined || event.subject !== undefined;
  for (const id of ids) {
    const message = messages.get(id);
    if (!message) continue;
    const changed: Message = { ...message };
    if (id === event.message_id && event.rendered_content !== undefined) {
      changed.content = event.rendered_content;
      changed.is_me_message = event.is_me_message ?? message.is_me_message;
      if (!event.rendering_only) changed.last_edit_timestamp = event.edit_timestamp;
      changed.flags = event.flags ?? message.flags;
    }
    if (isMove) {
      if (event.new_stream_id !== undefined) changed.stream_id = event.new_stream_id;
      if (event.subject !== undefined) changed.subject = event.subject;
      if (!event.rendering_only) changed.last_moved_timestamp = event.edit_timestamp;
    }
    messages.set(id, messageOf(changed));
  }
  if (!isMove || event.stream_id === undefined)
    return { ...state, messages, unread: withMentionIn(state.unread, event) };
  const movedIds = new Set(ids);
  const { stream_id: sourceId, orig_subject: sourceTopic = "" } = event;
  const target = {
    kind: "topic" as const,
    channelId: event.new_stream_id ?? sourceId,
    topic: event.subject ?? sourceTopic,
  };
  const movedUnreadIds = [...state.unread.byConversation.values()].flatMap((entry) =>
    [...entry.ids].filter((id) => movedIds.has(id)),
  );
  const remaining = withoutUnread(state.unread, movedIds);
  const unread =
    movedUnreadIds.length === 0
      ? state.unread
      : withMentionIn(
          { ...withUnread(remaining, target, movedUnreadIds, false), mentions: state.unread.mentions },
          event,
        );
  // Removes moved messages from lists; lists that may have gained messages are fetched again when they are opened.
  const lists = new Map(
    [...state.lists].flatMap(([key, list]) => {
      const sourceChannelKey = `channel:${sourceId}`;
      const sourceTopicKey = `topic:${topicKey(sourceId, sourceTopic)}`;
      const losesMessages = key === sourceTopicKey || (key === sourceChannelKey && event.new_stream_id !== undefined);
      if (losesMessages) return [[key, { ...list, ids: list.ids.filter((id) => !movedIds.has(id)) }] as const];
      const mayGainMessages =
        key === conversationKey(target) || key === `channel:${target.channelId}` || key.startsWith("search:");
      return mayGainMessages ? [] : [[key, list] as const];
    }),
  );
  return { ...state, messages, unread, lists };
};

/** The IDs of the messages that an edit concerns. */
export const editedIn = (event: EventOf<"update_message">): readonly number[] => ids(event.message_ids);

/** The channels of a moved topic, before and after. */
export const channelsIn = ({ stream_id, new_stream_id }: EventOf<"update_message">): ReadonlySet<number> =>
  new Set(ids([stream_id, new_stream_id].flatMap((channelId) => channelId ?? [])));

/** The IDs of the deleted messages. */
export const deletedIn = (event: EventOf<"delete_message">): readonly number[] =>
  ids("message_ids" in event ? event.message_ids : [event.message_id]);

const deleteMessages: Handler<"delete_message"> = (state, event) => {
  const deletedIds = new Set(deletedIn(event));
  const lists = new Map(
    [...state.lists].map(([key, list]) =>
      list.ids.some((id) => deletedIds.has(id))
        ? ([key, { ...list, ids: list.ids.filter((id) => !deletedIds.has(id)) }] as const)
        : ([key, list] as const),
    ),
  );
  return {
    ...state,
    messages: without(state.messages, deletedIds),
    lists,
    unread: withoutUnread(state.unread, deletedIds),
    starred: new Set([...state.starred].filter((id) => !deletedIds.has(id))),
  };
};

const updateFlags: Handler<"update_message_flags"> = (state, event) => {
  const ids = new Set<number>(event.messages);
  const isAdded = event.op === "add";
  const messages = new Map(state.messages);
  const changedIds = event.all ? messages.keys() : ids;
  for (const id of changedIds) {
    const message = messages.get(id);
    if (!message) continue;
    const others = message.flags.filter((flag) => flag !== event.flag);
    messages.set(id, messageOf({ ...message, flags: isAdded ? [...others, event.flag] : others }));
  }
  const next = { ...state, messages };
  if (event.flag === "starred") {
    const starred = new Set(state.starred);
    for (const id of ids) isAdded ? starred.add(id) : starred.delete(id);
    return { ...next, starred };
  }
  if (event.flag !== "read") return next;
  if (isAdded)
    return {
      ...next,
      unread: event.all
        ? { byConversation: new Map(), mentions: new Set(), oldUnreadsMissing: false }
        : withoutUnread(state.unread, ids),
    };
  let unread = state.unread;
  for (const [id, details] of Object.entries(event.message_details ?? {})) {
    const conversation: Conversation =
      details.type === "stream"
        ? { kind: "topic", channelId: details.stream_id, topic: details.topic }
        : directConversation(details.user_ids, state.userId);
    unread = withUnread(unread, conversation, [Number(id)], details.mentioned === true);
  }
  return { ...next, unread };
};

const isSameReaction = (reaction: Reaction, event: EventOf<"reaction">) =>
  reaction.user_id === event.user_id &&
  reaction.emoji_code === event.emoji_code &&
  reaction.reaction_type === event.reaction_type;

const updateReactions: Handler<"reaction"> = (state, event) => ({
  ...state,
  messages: updatedMap(state.messages, event.message_id, (message) => {
    const others = message.reactions.filter((reaction) => !isSameReaction(reaction, event));
    return messageOf({ ...message, reactions: event.op === "add" ? [...others, event] : others });
  }),
});

export const messageHandlers: Handlers = {
  message: addMessage,
  update_message: updateMessages,
  delete_message: deleteMessages,
  update_message_flags: updateFlags,
  reaction: updateReactions,
  submessage: (state, event) => ({
    ...state,
    messages: updatedMap(state.messages, event.message_id, (message) =>
      messageOf({
        ...message,
        submessages: [
          ...message.submessages.filter(({ id }) => id !== event.submessage_id),
          { ...event, id: event.submessage_id },
        ],
      }),
    ),
  }),
};
