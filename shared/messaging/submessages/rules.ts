import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import {
  bool,
  int,
  literal,
  oneOfInts,
  type Param,
  type Shape,
  strictObject,
  string,
} from "../../base/schema/params.ts";
import { parseJson } from "../../base/schema/text.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Message } from "../../store/messages/messages.ts";
import type { Submessage } from "../../store/messages/submessages.ts";
import { checkDefinition, definedWidgetType, type WidgetType } from "../messages/send/widget-content.ts";
import { toSubmessageWire } from "../messages/wire-parts.ts";

interface Kind {
  shape: Shape;
  /** If only the message's sender may add one: the error for other users. */
  authorOnly?: string;
  /** Whether it adds an option to a poll or a task to a to-do list. */
  addsItem?: boolean;
}

const label = string({ max: limits.widgetTextLength });
/** Names an option or a task, by who added it and its index. */
const itemKey = string({ max: 100 });
/** As in Zulip, an item's number among those of its sender. */
const itemIndex = int({ min: 0, max: 1000 });

/** The submessages that each kind of widget accepts. See https://zulip.com/help/create-a-poll and /help/todo-lists. */
const acceptedKinds: Record<WidgetType, Record<string, Kind>> = {
  poll: {
    vote: { shape: { key: itemKey, vote: oneOfInts([1, -1]) } },
    new_option: { shape: { idx: itemIndex, option: label }, addsItem: true },
    question: { shape: { question: label }, authorOnly: "You can't edit a question unless you are the author." },
  },
  todo: {
    new_task: { shape: { key: itemIndex, task: label, desc: label, completed: bool() }, addsItem: true },
    strike: { shape: { key: itemKey } },
    new_task_list_title: {
      shape: { title: label },
      authorOnly: "You can't edit the task list title unless you are the author.",
    },
  },
  zform: {},
};

/** Returns the submessage's content as it is stored; throws a 400 if the message does not accept it. */
export function checkSubmessage(
  caller: Caller,
  message: Message,
  existing: readonly Submessage[],
  { type, content }: Pick<Submessage, "type" | "content">,
): string {
  const [first] = existing;
  const isAuthor = message.senderId === caller.id;
  if (!first && !isAuthor) throw badRequest("You cannot attach a submessage to this message.");
  const data = parseJson(content);
  if (data === undefined) throw badRequest("Invalid json for submessage");
  if (!first && type === "widget") return JSON.stringify(checkDefinition(data, ["poll", "todo", "zform"]));
  const widgetType = first && definedWidgetType(first);
  if (type === "widget" && !widgetType) throw badRequest("This message has no widget.");
  const kind = widgetType && checkKind(widgetType, data, isAuthor);
  checkRoom(caller, existing, { widgetType, addsItem: kind?.addsItem === true });
  return content;
}

function checkKind(widgetType: WidgetType, data: unknown, isAuthor: boolean): Kind {
  const kinds = acceptedKinds[widgetType];
  const type = kindOf(data);
  const kind = type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (type === undefined || !kind) throw badRequest(`Unknown type for ${widgetType} data: ${type?.slice(0, 100)}`);
  if (kind.authorOnly !== undefined && !isAuthor) throw badRequest(kind.authorOnly);
  const shape = strictObject({ type: literal(type), ...kind.shape }) as Param;
  const checked = shape.schema.safeParse(data);
  if (checked.success) return kind;
  const [issue] = checked.error.issues;
  if (issue?.code === "unrecognized_keys")
    throw badRequest(`Unexpected arguments: ${issue.keys.join(", ").slice(0, 200)}`);
  const { path = [], message = "" } = issue ?? {};
  // Messages of the schema have `{}` in place of the field's name.
  throw badRequest(message.replace("{}", path.join(".") || `${widgetType} data`));
}

/** The `type` in a submessage's data, which may be any JSON. */
function kindOf(data: unknown): string | undefined {
  const type = (data as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" ? type : undefined;
}

/**
 * Refuses a submessage beyond the limits of a message and of a sender. Requests at the same time may exceed them a little:
 * they bound replies, and need not be exact.
 */
function checkRoom(
  caller: Caller,
  [definition, ...additions]: readonly Submessage[],
  { widgetType, addsItem }: { widgetType: WidgetType | undefined; addsItem: boolean },
): void {
  const ownAdditions = additions.filter(({ senderId }) => senderId === caller.id);
  const all = definition ? [definition, ...additions] : [];
  if (bytesOf(ownAdditions) >= limits.widgetBytesPerSender)
    throw badRequest("You have reached the limit of what one person can add to this message's widget.");
  if (bytesOf(all) >= limits.widgetBytes) throw badRequest("This message's widget has reached its maximum size.");
  if (!widgetType || !addsItem) return;
  const noun = widgetType === "poll" ? "options" : "tasks";
  const countItems = (submessages: readonly Submessage[]) =>
    submessages.filter(({ content }) => acceptedKinds[widgetType][kindOf(parseJson(content)) ?? ""]?.addsItem).length;
  if (countItems(ownAdditions) >= limits.widgetItemsPerSender)
    throw badRequest(`You can add at most ${limits.widgetItemsPerSender} ${noun}.`);
  if (countItems(additions) >= limits.widgetItemsAdded)
    throw badRequest(`At most ${limits.widgetItemsAdded} ${noun} can be added.`);
}

const bytesOf = (submessages: readonly Submessage[]) =>
  submessages.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(submessages.map(toSubmessageWire)));
