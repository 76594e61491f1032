import {
  bool,
  int,
  list,
  literal,
  mapOf,
  oneOf,
  optional,
  strictObject,
  text,
  union,
  type Value,
} from "../../../base/schema/params.ts";
import { editableFlags } from "./flags.ts";

const ids = list(int());
const op = oneOf(["add", "remove"]);

/** What a client needs to count a message as unread. */
const unreadDetails = union(
  [
    strictObject({ type: literal("private"), user_ids: ids, mentioned: optional(bool()) }),
    strictObject({
      type: literal("stream"),
      stream_id: int(),
      topic: text(),
      unmuted_stream_msg: bool(),
      mentioned: optional(bool()),
    }),
  ],
  "details of an unread message",
);
export type UnreadDetails = Value<typeof unreadDetails>;

/** A flag that the user has added to messages, or removed from them. `operation` is the legacy name of `op`. */
export const messageFlagsEvent = strictObject({
  type: literal("update_message_flags"),
  op,
  operation: op,
  flag: oneOf(editableFlags),
  messages: ids,
  all: bool(),
  message_details: optional(mapOf(unreadDetails)),
});
export type MessageFlagsEvent = Value<typeof messageFlagsEvent>;

declare module "../../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    update_message_flags: MessageFlagsEvent;
  }
}
