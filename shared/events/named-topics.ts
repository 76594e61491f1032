/** What clients are told that do not know the empty topic: wherever it is named, it has its display name. */

type Fields = Record<string, unknown>;
/** What of a record changes when the empty topic gets a name. */
type Naming = (record: Fields, name: string) => Fields;

const fields =
  (...topics: string[]): Naming =>
  (record, name) =>
    Object.fromEntries(topics.filter((field) => record[field] === "").map((field) => [field, name]));

const inTopic = fields("topic");
const inTopicName = fields("topic_name");
const inMuted: Naming = ({ muted_topics: topics }, name) => ({
  muted_topics: (topics as [string, string, number][]).map(([channel, topic, at]) => [channel, topic || name, at]),
});
const within = (record: Fields, name: string): Fields => ({ ...record, ...inTopic(record, name) });

/** By the type of an event. */
const namings: Record<string, Naming> = {
  update_message: fields("subject", "orig_subject"),
  delete_message: inTopic,
  user_topic: inTopicName,
  muted_topics: inMuted,
  typing: inTopic,
  typing_edit_message: ({ recipient }, name) => ({ recipient: within(recipient as Fields, name) }),
  update_message_flags: ({ message_details: details }, name) =>
    details === undefined
      ? {}
      : {
          message_details: Object.fromEntries(
            Object.entries(details as Record<string, Fields>).map(([id, place]) => [id, within(place, name)]),
          ),
        },
};

/** An event with the empty topic under a name, wherever the event tells of it. */
export const withNamedTopics = <E extends Fields & { type: string }>(event: E, name: string): E => ({
  ...event,
  ...namings[event.type]?.(event, name),
});

/** By the field of a session's first state. */
const stateNamings: Record<string, Naming> = {
  unread_msgs: ({ unread_msgs }, name) => {
    const unread = unread_msgs as Fields & { streams: Fields[] };
    return { unread_msgs: { ...unread, streams: unread.streams.map((one) => within(one, name)) } };
  },
  user_topics: ({ user_topics }, name) => ({
    user_topics: (user_topics as Fields[]).map((one) => ({ ...one, ...inTopicName(one, name) })),
  }),
  muted_topics: inMuted,
};

/** A session's first state with the empty topic under a name. */
export const stateWithNamedTopics = <S extends Fields>(state: S, name: string): S =>
  Object.assign(
    { ...state },
    ...Object.entries(stateNamings).map(([field, naming]) => (field in state ? naming(state, name) : {})),
  );
