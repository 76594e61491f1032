import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { messageAudience } from "../messages/audience.ts";
import type { SubmessageEvent } from "../messages/event-types.ts";
import { parseJson } from "../messages/send/widget-content.ts";
import { bool, int, object, type Param, type Shape, string } from "../schema/params.ts";
import { commit } from "../store/log/log.ts";
import { type Message, messageKey } from "../store/messages/messages.ts";
import { createSubmessage, listSubmessages, markSubmessages, type Submessage } from "../store/messages/submessages.ts";
import { ConditionFailed } from "../store/table/transactions.ts";
import { check } from "../store/table/writes.ts";

/**
 * The submessages that each kind of widget accepts. If only the message's sender may add one, `authorOnly` is the error for
 * other users.
 */
const acceptedSubmessages: Record<string, Record<string, { shape: Shape; authorOnly?: string }>> = {
  poll: {
    vote: { shape: { key: string(), vote: int() } },
    new_option: { shape: { idx: int(), option: string() } },
    question: { shape: { question: string() }, authorOnly: "You can't edit a question unless you are the author." },
  },
  todo: {
    new_task: { shape: { key: int({ min: 0, max: 1000 }), task: string(), desc: string(), completed: bool() } },
    strike: { shape: { key: string() } },
    new_task_list_title: {
      shape: { title: string() },
      authorOnly: "You can't edit the task list title unless you are the author.",
    },
  },
};

/** Adds a submessage to a message's widget. Only the sender of a message may add its first submessage, which makes a widget. */
export async function addSubmessage(caller: Caller, message: Message, type: string, content: string): Promise<void> {
  const existing = await listSubmessages([message]);
  if (existing.length === 0 && message.senderId !== caller.id)
    throw badRequest("You cannot attach a submessage to this message.");
  const data = parseJson(content, "Invalid json for submessage");
  const widget = widgetTypeOf(existing[0]);
  if (widget) checkSubmessage(widget, data, message.senderId === caller.id);
  const messageWrite = message.hasSubmessages
    ? check(messageKey(message.id), { exists: true })
    : markSubmessages(message.id);
  try {
    await commit({ events: 1 }, ({ event: id }) => {
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
        result: undefined,
      };
    });
  } catch (error) {
    if (error instanceof ConditionFailed) throw badRequest("Invalid message(s)");
    throw error;
  }
}

function widgetTypeOf(first: Submessage | undefined): string | undefined {
  if (first?.type !== "widget") return undefined;
  return (JSON.parse(first.content) as { widget_type?: string }).widget_type;
}

function checkSubmessage(widget: string, data: unknown, isAuthor: boolean): void {
  const kinds = Object.hasOwn(acceptedSubmessages, widget) ? acceptedSubmessages[widget] : undefined;
  if (!kinds) return;
  const { type } = (data ?? {}) as { type?: unknown };
  const kind = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (!kind) throw badRequest(`Unknown type for ${widget} data: ${type}`);
  if (kind.authorOnly !== undefined && !isAuthor) throw badRequest(kind.authorOnly);
  const checked = (object(kind.shape) as Param).schema.safeParse(data);
  if (checked.success) return;
  const { path = [], message = "" } = checked.error.issues[0] ?? {};
  // Messages of the schema have `{}` in place of the field's name.
  throw badRequest(message.replace("{}", path.join(".") || `${widget} data`));
}
