import { bool, int, list, literal, oneOf, optional, strictObject, text, type Value } from "../../base/schema/params.ts";
import { propagateModes } from "../../store/messages/moves.ts";
import { reactionTypes } from "../../store/messages/reactions.ts";
import { sentMessageObject, topicLink } from "./wire.ts";

/** Events about messages. */

const ids = list(int());
const flags = list(text());
const message_id = int();

/** A new message. `local_message_id` is the sending client's own name for it, delivered only to that client's queue. */
export const messageEvent = strictObject({
  type: literal("message"),
  message: sentMessageObject,
  flags,
  local_message_id: optional(text()),
});

/** Messages that were edited or moved; times are UNIX seconds. */
export const updateMessageEvent = strictObject({
  type: literal("update_message"),
  user_id: int(),
  rendering_only: literal(false),
  message_id,
  message_ids: ids,
  flags,
  edit_timestamp: int(),
  stream_id: optional(int()),
  stream_name: optional(text()),
  new_stream_id: optional(int()),
  propagate_mode: optional(oneOf(propagateModes)),
  orig_subject: optional(text()),
  subject: optional(text()),
  topic_links: optional(list(topicLink)),
  orig_content: optional(text()),
  orig_rendered_content: optional(text()),
  content: optional(text()),
  rendered_content: optional(text()),
  is_me_message: optional(bool()),
});

const deletion = {
  type: literal("delete_message"),
  message_type: oneOf(["private", "stream"]),
  stream_id: optional(int()),
  topic: optional(text()),
};
/** `ends`: the participants of the direct conversation that has no messages any more. */
export const loggedDeletion = strictObject({ ...deletion, message_ids: ids, ends: optional(list(int())) });

/** Deleted messages; clients without the `bulk_message_deletion` capability get one event per message. */
export const deleteMessageEvents = [
  strictObject({ ...deletion, message_ids: ids }),
  strictObject({ ...deletion, message_id }),
];

export const reactionEvent = strictObject({
  type: literal("reaction"),
  op: oneOf(["add", "remove"]),
  message_id,
  emoji_name: text(),
  emoji_code: text(),
  reaction_type: oneOf(reactionTypes),
  user_id: int(),
  user: strictObject({ user_id: int(), email: text(), full_name: text(), is_mirror_dummy: bool() }),
});

/** An addition to a message's widget. */
export const submessageEvent = strictObject({
  type: literal("submessage"),
  msg_type: text(),
  content: text(),
  message_id,
  sender_id: int(),
  submessage_id: int(),
});
export type SubmessageEvent = Value<typeof submessageEvent>;

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    reaction: Value<typeof reactionEvent>;
    submessage: SubmessageEvent;
    update_message: Value<typeof updateMessageEvent>;
  }
  interface LogEvents {
    delete_message: Value<typeof loggedDeletion>;
  }
  interface ClientEvents {
    delete_message: Value<(typeof deleteMessageEvents)[number]>;
    message: Value<typeof messageEvent>;
  }
}
