import { badRequest } from "../../base/errors.ts";
import { nameKey } from "../../base/name-key.ts";
import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { list, string } from "../../base/schema/params.ts";
import { normalizeEmptyTopic } from "../../core/channels/topic-names.ts";
import type { MessageObject } from "../../messaging/messages/wire.ts";
import type { QueueOptions } from "../../store/delivery/event-queues.ts";

type Narrow = QueueOptions["narrow"];

/** The limits of a narrow, because the queue stores it. A term may be any name, or any e-mail address of RFC 5321 (320). */
const maxNarrowTerms = 100;
const maxNarrowTextLength = 320;

/** A queue's narrow as clients send it. */
export const queueNarrowParam = () => list(list(string({ max: maxNarrowTextLength })), { max: maxNarrowTerms });

const operators = new Map([
  ["channel", "channel"],
  ["stream", "channel"],
  ["topic", "topic"],
  ["sender", "sender"],
  ["is", "is"],
]);

const isOperandPredicates = new Map<string, (message: MessageObject, flags: readonly string[]) => boolean>([
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
    const [sentOperator = "", operand = ""] = pair;
    if (pair.length !== 2) throw badRequest("narrow element is not a pair");
    const operator = operators.get(sentOperator.toLowerCase());
    if (!operator || (operator === "is" && !isOperandPredicates.has(operand)))
      throw badRequest(`Operator ${sentOperator} not supported.`);
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
    if (operator === "channel") return message.type === "stream" && matchesChannel(operand, message);
    if (operator === "topic")
      return (
        message.type === "stream" &&
        equalsIgnoringCase(normalizeEmptyTopic(message.subject, emptyTopic), normalizeEmptyTopic(operand, emptyTopic))
      );
    if (operator === "sender")
      return equalsIgnoringCase(message.sender_email, operand) || String(message.sender_id) === operand;
    return isOperandPredicates.get(operand)?.(message, flags) === true;
  });

const matchesChannel = (operand: string, message: MessageObject) =>
  nameKey(String(message.display_recipient)) === nameKey(operand) || String(message.stream_id) === operand;

const equalsIgnoringCase = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
