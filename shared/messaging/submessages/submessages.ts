import { badRequest } from "../../base/errors.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Change, NumberedChange, Numbers } from "../../store/log/log.ts";
import { type Message, messageKey } from "../../store/messages/messages.ts";
import {
  createSubmessage,
  listSubmessages,
  markSubmessages,
  type Submessage,
  submessageIdOf,
} from "../../store/messages/submessages.ts";
import { check } from "../../store/table/writes.ts";
import { messageAudience } from "../messages/audience.ts";
import type { SubmessageEvent } from "../messages/event-types.ts";
import { checkSubmessage } from "./rules.ts";

/** Adds a submessage to a message's widget. Only the sender of a message may add its first submessage, which makes a widget. */
export async function addSubmessage(
  caller: Caller,
  message: Message,
  sent: Pick<Submessage, "type" | "content">,
): Promise<NumberedChange> {
  const { type } = sent;
  const existing = await listSubmessages([message]);
  const content = checkSubmessage(caller, message, existing, sent);
  const messageWrite = message.hasSubmessages
    ? check(messageKey(message.id), { exists: true })
    : markSubmessages(message.id);
  const plan = ({ event: number }: Numbers): Change => {
    const id = submessageIdOf(number);
    const submessage: Submessage = { id, messageId: message.id, senderId: caller.id, type, content };
    const event: SubmessageEvent = {
      type: "submessage",
      msg_type: type,
      content,
      message_id: message.id,
      sender_id: caller.id,
      submessage_id: id,
    };
    return {
      writes: [createSubmessage(submessage), messageWrite],
      events: [{ audience: messageAudience(message, [caller.id]), event }],
      refusal: () => badRequest("Invalid message(s)"),
    };
  };
  return { plan };
}
