import { int, list, literal, oneOf, strictObject, text, union, type Value } from "../../base/schema/params.ts";

const person = strictObject({ user_id: int(), email: text() });
const type = literal("typing");
const op = oneOf(["start", "stop"]);

/** A user starts or stops typing: a direct message (`recipients` include the sender), or in a channel's topic. */
export const typingEvents = [
  strictObject({ type, op, message_type: literal("direct"), sender: person, recipients: list(person) }),
  strictObject({ type, op, message_type: literal("stream"), sender: person, stream_id: int(), topic: text() }),
];

const conversation = strictObject({ type: literal("direct"), user_ids: list(int()) });
const channelTopic = strictObject({ type: literal("channel"), channel_id: int(), topic: text() });

export const typingEditEvent = strictObject({
  type: literal("typing_edit_message"),
  op,
  sender_id: int(),
  message_id: int(),
  recipient: union([conversation, channelTopic], "a conversation or a topic"),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    typing: Value<(typeof typingEvents)[number]>;
    typing_edit_message: Value<typeof typingEditEvent>;
  }
}
