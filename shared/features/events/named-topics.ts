import type { QueuedEvent } from "./event-types.ts";

/** Substitutes the display name of the empty topic, for clients without the capability `empty_topic_name`. */

type Fields = Record<string, unknown>;

/** An event with the empty topic replaced by its display name. */
export function withNamedTopics(event: QueuedEvent, name: string): QueuedEvent {
  switch (event.type) {
    case "update_message":
      return {
        ...event,
        ...(event.subject === "" && { subject: name }),
        ...(event.orig_subject === "" && { orig_subject: name }),
      };
    case "delete_message":
      return event.topic === "" ? { ...event, topic: name } : event;
    case "user_topic":
      return { ...event, topic_name: event.topic_name || name };
    case "muted_topics":
      return { ...event, muted_topics: namedMutedTopics(event.muted_topics, name) };
    case "typing":
      return event.message_type === "stream" ? { ...event, topic: event.topic || name } : event;
    case "typing_edit_message": {
      const { recipient } = event;
      return recipient.type === "channel"
        ? { ...event, recipient: { ...recipient, topic: recipient.topic || name } }
        : event;
    }
    case "update_message_flags": {
      if (!event.message_details) return event;
      const details = Object.entries(event.message_details).map(([id, details]) => [
        id,
        details.type === "stream" ? { ...details, topic: details.topic || name } : details,
      ]);
      return { ...event, message_details: Object.fromEntries(details) };
    }
    default:
      return event;
  }
}

const namedMutedTopics = (topics: readonly [string, string, number][], name: string) =>
  topics.map(([channel, topic, at]): [string, string, number] => [channel, topic || name, at]);

/** Replaces the empty topic in some fields of the snapshot, and returns these fields. */
type ReplaceEmptyTopic = (state: Fields, name: string) => Fields;
const withNamedTopic = (record: Fields, field: string, name: string): Fields => ({
  ...record,
  [field]: record[field] || name,
});

/** Field of the snapshot of `/register` -> its replacement. */
const replacements: Record<string, ReplaceEmptyTopic> = {
  unread_msgs: ({ unread_msgs }, name) => {
    const unread = unread_msgs as Fields & { streams: Fields[] };
    return {
      unread_msgs: { ...unread, streams: unread.streams.map((stream) => withNamedTopic(stream, "topic", name)) },
    };
  },
  user_topics: ({ user_topics }, name) => ({
    user_topics: (user_topics as Fields[]).map((topic) => withNamedTopic(topic, "topic_name", name)),
  }),
  muted_topics: ({ muted_topics }, name) => ({
    muted_topics: namedMutedTopics(muted_topics as [string, string, number][], name),
  }),
};

/** The snapshot of `/register` with the empty topic replaced by its display name. */
export const stateWithNamedTopics = <S extends Fields>(state: S, name: string): S =>
  Object.assign(
    { ...state },
    ...Object.entries(replacements).map(([field, replace]) => (field in state ? replace(state, name) : {})),
  );
