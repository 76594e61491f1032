import { escapeHtml } from "../../../base/html.ts";
import { jsonBytes, maxReplyBytes } from "../../../services/http/reply-size.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { MessageObject } from "../wire.ts";

/** A reply has as many of the requested messages as it has room for: those nearest to the anchor. */

/** The length of a JSON escape such as `\u0000`. */
const maxBytesPerCharacter = 6;
/** Names, addresses and topic with as many bytes per character, and the remaining fields. */
const otherFieldsBytes = 6000;

/**
 * The bytes of a message's JSON. Exact for messages with edits, reactions and the like, and an upper bound for others, which
 * are not serialized for it, unless `exact`.
 */
function messageBytes(message: MessageObject, exact: boolean): number {
  const { content, edit_history, submessages, reactions, topic_links, display_recipient, match_content } = message;
  const hasDetails = edit_history || match_content || submessages.length || reactions.length || topic_links.length;
  return exact || hasDetails || typeof display_recipient !== "string"
    ? jsonBytes(message) + 1
    : maxBytesPerCharacter * content.length + otherFieldsBytes;
}

/** Submessages are not known before they are read. This limits for how many messages of a reply that is done. */
const submessagesBytes = 30_000;

/**
 * What a message takes at least, before its details are read. Its HTML counts also in a reply with its text, because it is read
 * to find whom it mentions.
 */
const minMessageBytes = ({ html, hasSubmessages }: Message) => html.length + (hasSubmessages ? submessagesBytes : 0);

/** Adds the HTML of messages to a number of bytes, until a reply has no room for more. */
export function addHtmlBytes(bytes: number, messages: Iterable<Message | undefined>): number {
  let sum = bytes;
  for (const message of messages) {
    if (sum >= maxReplyBytes) break;
    sum += message?.html.length ?? 0;
  }
  return sum;
}

/** A part of a list: from `start`, inclusive, to `end`, exclusive. */
interface Window {
  start: number;
  end: number;
}

/** The sentinel of the newest anchor is too large for exact differences. */
const centerOf = (ids: readonly number[], anchor: number) =>
  Math.max(ids[0] ?? anchor, Math.min(anchor, ids.at(-1) ?? anchor));

/** The positions in a list of ascending IDs in the order in which a window takes them in: the nearest first, of two the older. */
export function nearestFirst(ids: readonly number[], anchor: number): number[] {
  const center = centerOf(ids, anchor);
  const distance = (index: number) => Math.abs((ids[index] as number) - center);
  return [...ids.keys()].sort((a, b) => distance(a) - distance(b) || a - b);
}

/**
 * The items of a list around an anchor that fit into a reply: at least one, the nearest first. Items beyond the first that does
 * not fit are not measured.
 */
export function windowAround(ids: readonly number[], sizeAt: (index: number) => number, anchor: number): Window {
  if (ids.length === 0) return { start: 0, end: 0 };
  const center = centerOf(ids, anchor);
  const distance = (index: number) => {
    const id = ids[index];
    return id === undefined ? Number.POSITIVE_INFINITY : Math.abs(id - center);
  };
  const nearest = ids.reduce((best, _, index) => (distance(index) < distance(best) ? index : best), 0);
  let [start, end] = [nearest, nearest + 1];
  let bytes = sizeAt(nearest);
  while (start > 0 || end < ids.length) {
    const isOlder = distance(start - 1) <= distance(end);
    bytes += sizeAt(isOlder ? start - 1 : end);
    if (bytes > maxReplyBytes) break;
    if (isOlder) start--;
    else end++;
  }
  return { start, end };
}

/** The messages that may fit into a reply, before their details are read. */
export const candidatesAround = (messages: readonly Message[], anchor: number): Window =>
  windowAround(
    messages.map(({ id }) => id),
    (index) => minMessageBytes(messages[index] as Message),
    anchor,
  );

export function fittingAround(messages: readonly MessageObject[], anchor: number): Window {
  const ids = messages.map(({ id }) => id);
  const fitting = (exact: boolean) =>
    windowAround(ids, (index) => messageBytes(messages[index] as MessageObject, exact), anchor);
  const window = fitting(false);
  return window.end - window.start === messages.length ? window : fitting(true);
}

/**
 * Shortens a message that alone exceeds a reply, and says in its content what is left out: earlier texts, then the newest
 * submessages and reactions, then its text.
 */
export function shorten(message: MessageObject): MessageObject {
  if (messageBytes(message, false) <= maxReplyBytes) return message;
  let excess = messageBytes(message, true) - maxReplyBytes;
  if (excess <= 0) return message;
  const short = { ...message };
  const omissions: string[] = [];
  excess += noticeBytes;
  if (short.match_content !== undefined) {
    excess -= jsonBytes(short.match_content);
    delete short.match_content;
    delete short.match_subject;
  }
  if (excess > 0 && short.edit_history) {
    const withoutTexts = short.edit_history.map(({ prev_content: _, prev_rendered_content: __, ...edit }) => edit);
    excess -= jsonBytes(short.edit_history) - jsonBytes(withoutTexts);
    short.edit_history = withoutTexts;
    omissions.push("its earlier texts");
  }
  for (const name of ["submessages", "reactions"] as const) {
    const items: readonly unknown[] = short[name];
    let kept = items.length;
    // The first submessage makes the widget.
    for (; excess > 0 && kept > 1; kept--) excess -= jsonBytes(items[kept - 1]) + 1;
    if (kept === items.length) continue;
    omissions.push(`${items.length - kept} of ${items.length} ${name}`);
    Object.assign(short, { [name]: items.slice(0, kept) });
  }
  if (excess > 0) omissions.push("most of its text");
  const notice = `This message is too large to be shown completely. Left out: ${omissions.join(", ")}.`;
  const isHtml = short.content_type === "text/html";
  const text = excess > 0 ? shortText(short.content, isHtml) : short.content;
  if (omissions.length > 0) short.content = isHtml ? `${text}<p><em>${notice}</em></p>` : `${text}\n\n*${notice}*`;
  return short;
}

function shortText(content: string, isHtml: boolean): string {
  const text = content.slice(0, 1000).toWellFormed();
  return isHtml ? escapeHtml(text, false) : text;
}

/** Room for the notice. */
const noticeBytes = 1000;
