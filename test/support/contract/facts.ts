/**
 * What the decoders of Zulip's mobile app, of its web app and of the library go-zulip require of replies and events: facts about their
 * public sources (zulip-flutter `lib/api`, zulip `web/src` and `zerver/lib/event_types.py`, go-zulip `zulip`), as far as they go beyond
 * what a client ignores. A client that meets a missing field or another type cannot load the account, or drops the event.
 *
 * A field's fact is its type, and then what may differ:
 *
 * | notation | meaning |
 * |---|---|
 * | `int` `number` `string` `bool` `url` `color` `any` | a value of that type; a color is `#` and six lower-case digits |
 * | `3` `'all'` | that value |
 * | `Name` | an object of {@link Client.objects} |
 * | `[T]` `{T}` `{#T}` | a list of T; an object whose values are T; the same with integers as keys |
 * | `ascending` | a list of integers, each larger than the one before |
 * | `A/B` | either |
 * | `as Name by field` | what field `field` names is a field of `Name`: the type that it has there. Others are ignored |
 * | `… ?` | may be absent |
 * | `… null` | may be null |
 * | `… since N` | required from feature level N on; where the level is not known, 500, the first by which it is |
 *
 * A fact that is an object picks by the field's value which further fields the same object has.
 */
export type Fact = string | Readonly<Record<string, string>>;
export type Fields = Readonly<Record<string, Fact>>;

export interface Client {
  /** By which the server knows that it is one of Zulip's own. */
  userAgent: string;
  /** The parameters with which it opens its queue. */
  registration: Readonly<Record<string, unknown>>;
  objects: Readonly<Record<string, Fields>>;
  /** The objects that may have no other fields; in the others these are ignored. */
  closed?: readonly string[];
  /** The reply to each call, by method and path. */
  replies: Readonly<Record<string, Fields>>;
  /** Events by type, or by type and op. Those of other types and ops are ignored. */
  events: Readonly<Record<string, Fields>>;
}

/** Facts that hold of both apps. */

export const topicPolicy = {
  stream_id: "int",
  topic_name: "string",
  last_updated: "int",
  visibility_policy: "0/1/2/3",
} as const;

export const reaction = {
  emoji_name: "string",
  emoji_code: "string",
  reaction_type: "'unicode_emoji'/'realm_emoji'/'zulip_extra_emoji'",
  user_id: "int",
} as const;

export const channelPlace = { stream_id: "int", topic: "string" };

export const groupSetting = "int/Members";
