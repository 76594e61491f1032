import { int, list, literal, optional, strictObject, text, type Value } from "../../../base/schema/params.ts";
import { userTopicEvent } from "../../../core/user-topics/event-types.ts";

/** The log entry of a new message. It contains only the message's ID; the message is read when the event is delivered. */
export const loggedMessage = strictObject({
  type: literal("message"),
  message_id: int(),
  /** The sender's event queue, and the sending client's local name of the message. */
  queue_id: optional(text()),
  local_id: optional(text()),
  /** The IDs of the participants, if the message starts a conversation. */
  begins: optional(list(int())),
  /**
   * The topic policy that sending set for the sender. The name stays: stored entries have it, and functions that an upgrade replaces
   * read it.
   */
  raised: optional(strictObject({ user_id: int(), event: userTopicEvent })),
});

declare module "../../../base/schema/event-types.ts" {
  interface LogEvents {
    message: Value<typeof loggedMessage>;
  }
}
