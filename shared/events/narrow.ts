import { badRequest } from "../errors.ts";
import { list, string } from "../http/params.ts";
import { unlessEmpty } from "../messages/topics.ts";
import type { MessageObject } from "../messages/wire.ts";
import type { RealmSettings } from "../organization/settings.ts";
import type { QueueOptions } from "../store/event-queues.ts";

type Narrow = QueueOptions["narrow"];

/** A queue's narrow as clients send it: pairs of strings. */
export const queueNarrowParam = () => list(list(string()), { max: 100 });

const operators: Record<string, string> = {
  channel: "channel",
  stream: "channel",
  topic: "topic",
  sender: "sender",
  is: "is",
};

const states: Record<string, (message: MessageObject, flags: readonly string[]) => boolean> = {
  dm: ({ type }) => type === "private",
  private: ({ type }) => type === "private",
  starred: (_, flags) => flags.includes("starred"),
  unread: (_, flags) => !flags.includes("read"),
  alerted: (_, flags) => flags.includes("has_alert_word"),
  mentioned: (_, flags) => flags.some((flag) => flag.endsWith("mentioned")),
  resolved: ({ type, subject }) => type === "stream" && subject.startsWith("✔ "),
};

/** The terms of a queue's narrow; what a queue cannot filter by is an error (companion reference, D). */
export const parseQueueNarrow = (pairs: readonly string[][]): Narrow =>
  pairs.map((pair) => {
    const [sent = "", operand = ""] = pair;
    if (pair.length !== 2) throw badRequest("narrow element is not a pair");
    const operator = operators[sent.toLowerCase()];
    if (!operator || (operator === "is" && !states[operand])) throw badRequest(`Operator ${sent} not supported.`);
    return { operator, operand };
  });

/** Whether a message, as the queue's owner sees it, is one that the queue asks for. */
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
        message.type === "stream" && same(unlessEmpty(message.subject, emptyTopic), unlessEmpty(operand, emptyTopic))
      );
    if (operator === "sender") return same(message.sender_email, operand) || String(message.sender_id) === operand;
    return states[operand]?.(message, flags) === true;
  });

const names = (operand: string, message: MessageObject) =>
  same(String(message.display_recipient), operand) || String(message.stream_id) === operand;

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
