import { normalizeEmptyTopic } from "../channels/topic-names.ts";
import { badRequest } from "../errors.ts";
import type { MessageObject } from "../messages/wire.ts";
import type { RealmSettings } from "../schema/organization-settings.ts";
import { list, string } from "../schema/params.ts";
import type { QueueOptions } from "../store/delivery/event-queues.ts";

type Narrow = QueueOptions["narrow"];

/** A queue's narrow as clients send it. Its strings are bounded by the longest e-mail address, because the queue stores them. */
export const queueNarrowParam = () => list(list(string({ max: 320 })), { max: 100 });

const operators = new Map([
  ["channel", "channel"],
  ["stream", "channel"],
  ["topic", "topic"],
  ["sender", "sender"],
  ["is", "is"],
]);

const states = new Map<string, (message: MessageObject, flags: readonly string[]) => boolean>([
  ["dm", ({ type }) => type === "private"],
  ["private", ({ type }) => type === "private"],
  ["starred", (_, flags) => flags.includes("starred")],
  ["unread", (_, flags) => !flags.includes("read")],
  ["alerted", (_, flags) => flags.includes("has_alert_word")],
  ["mentioned", (_, flags) => flags.some((flag) => flag.endsWith("mentioned"))],
  ["resolved", ({ type, subject }) => type === "stream" && subject.startsWith("✔ ")],
]);

/** Parses a queue's narrow; throws for operators that queues do not support (https://zulip.com/api/register-queue). */
export const parseQueueNarrow = (pairs: readonly string[][]): Narrow =>
  pairs.map((pair) => {
    const [sent = "", operand = ""] = pair;
    if (pair.length !== 2) throw badRequest("narrow element is not a pair");
    const operator = operators.get(sent.toLowerCase());
    if (!operator || (operator === "is" && !states.has(operand))) throw badRequest(`Operator ${sent} not supported.`);
    return { operator, operand };
  });

/** Whether a message, as rendered for the queue's owner, matches the queue's narrow. */
export const matchesNarrow = (
  narrow: Narrow,
  message: MessageObject,
  flags: readonly string[],
  { empty_topic_display_name: emptyTopic }: Pick<RealmSettings, "empty_topic_display_name">,
): boolean =>
  narrow.every(({ operator, operand }) => {
    if (operator === "channel") return message.type === "stream" && names(operand, message);
    if (operator === "topic")
      return (
        message.type === "stream" &&
        same(normalizeEmptyTopic(message.subject, emptyTopic), normalizeEmptyTopic(operand, emptyTopic))
      );
    if (operator === "sender") return same(message.sender_email, operand) || String(message.sender_id) === operand;
    return states.get(operand)?.(message, flags) === true;
  });

const names = (operand: string, message: MessageObject) =>
  same(String(message.display_recipient), operand) || String(message.stream_id) === operand;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
