import type { Message } from "../store/messages.ts";
import { resolveAnchor, type Selection } from "./anchor.ts";
import { highlighted } from "./highlight.ts";
import { matchingOf, matchingSource, type Narrow } from "./matching.ts";
import { readRange } from "./range.ts";
import type { Reader } from "./reader.ts";
import type { Resolved } from "./terms.ts";
import { type Presentation, showMessages } from "./view.ts";
import type { MessageObject } from "./wire.ts";

/** The reply to a request for messages. */
export interface Selected {
  /** Only of a range. */
  anchor?: number;
  foundAnchor: boolean;
  foundOldest: boolean;
  foundNewest: boolean;
  messages: MessageObject[];
}

/** The messages that a selection asks for, among those that match a narrow, as the reader sees them. */
export async function selectMessages(
  reader: Reader,
  narrow: Narrow,
  selection: Selection,
  presentation: Presentation,
): Promise<Selected> {
  const show = async (entries: Parameters<typeof showMessages>[1]) => {
    const shown = await showMessages(reader.caller, entries, reader.realm, presentation, reader);
    return withMatches(
      narrow,
      entries.flatMap(({ message }) => message ?? []),
      shown,
    );
  };
  if (selection.kind === "list") {
    const entries = selection.ids.map((id) => ({ id }));
    const matched = await matchingOf(reader, narrow, entries, false);
    const messages = await show(matched.map((message) => ({ id: message.id, message })));
    return { foundAnchor: false, foundOldest: false, foundNewest: false, messages: fitting(messages).kept };
  }
  const anchor = await resolveAnchor(reader, narrow, selection.anchor);
  const range = await readRange(await matchingSource(reader, narrow), { ...selection, anchor });
  const { kept, lostOldest, lostNewest } = fitting(await show(range.entries), anchor);
  return {
    anchor,
    foundAnchor: range.foundAnchor && kept.some(({ id }) => id === anchor),
    foundOldest: range.foundOldest && !lostOldest,
    foundNewest: range.foundNewest && !lostNewest,
    messages: kept,
  };
}

/** Adds where the search was found, when the narrow has one. */
export function withMatches(
  { terms }: Narrow,
  messages: readonly Message[],
  shown: readonly MessageObject[],
): MessageObject[] {
  const query = searchOf(terms);
  if (query === undefined) return [...shown];
  const byId = new Map(messages.map((message) => [message.id, message]));
  return shown.map((object) => {
    const message = byId.get(object.id);
    return message ? { ...object, ...highlighted(message, object.subject, query) } : object;
  });
}

export const searchOf = (terms: readonly Resolved[]) =>
  terms.flatMap((term) => (term.by === "search" && !term.negated ? [term.query] : []))[0];

/** A function's reply may be 6 MB at most, its envelope and headers among them. */
const largestReply = 5_500_000;

/** A bound of a message's bytes that costs nothing where there is little but its text, as nearly always. */
function sizeAtMost(message: MessageObject): number {
  const { content, edit_history, submessages, reactions, topic_links, display_recipient, match_content } = message;
  const more = edit_history || match_content || submessages.length || reactions.length || topic_links.length;
  return more || typeof content !== "string" || typeof display_recipient !== "string"
    ? Buffer.byteLength(JSON.stringify(message)) + 1
    : 6 * content.length + allElse;
}

/** Six bytes for each character of names, addresses and topic, and the fields around them. */
const allElse = 6000;

/** The messages nearest to the anchor that one reply can hold: a client asks on for what it does not hold. */
function fitting(messages: MessageObject[], anchor = 0) {
  if (messages.reduce((sum, message) => sum + sizeAtMost(message), 0) < largestReply)
    return { kept: messages, lostOldest: false, lostNewest: false };
  const sizes = messages.map((message) => Buffer.byteLength(JSON.stringify(message)) + 1);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let [start, end] = [0, messages.length];
  while (total > largestReply && end - start > 1) {
    const older = Math.max(0, anchor - (messages[start]?.id ?? 0));
    const newer = Math.max(0, (messages[end - 1]?.id ?? 0) - anchor);
    total -= (older >= newer ? sizes[start++] : sizes[--end]) ?? 0;
  }
  return { kept: messages.slice(start, end), lostOldest: start > 0, lostNewest: end < messages.length };
}
