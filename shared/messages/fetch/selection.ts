import type { Message } from "../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";
import { highlightMatches } from "../search/highlight.ts";
import type { MessageObject } from "../wire.ts";
import { resolveAnchor, type Selection } from "./anchor.ts";
import { filterMatching, matchingSource, type Narrow } from "./matching.ts";
import { type Presentation, presentMessages } from "./present-messages.ts";
import { readRange } from "./range.ts";
import type { ResolvedTerm } from "./terms.ts";

/** The result of a request for messages. */
export interface SelectedMessages {
  /** Ranges only. */
  anchor?: number;
  foundAnchor: boolean;
  foundOldest: boolean;
  foundNewest: boolean;
  messages: MessageObject[];
}

/** Returns the selected messages that match a narrow, as the reader sees them. */
export async function selectMessages(
  reader: Reader,
  narrow: Narrow,
  selection: Selection,
  presentation: Presentation,
): Promise<SelectedMessages> {
  const show = async (entries: Parameters<typeof presentMessages>[1]) => {
    const shown = await presentMessages(reader.caller, entries, reader.realm, presentation, reader);
    return withMatches(
      narrow,
      entries.flatMap(({ message }) => message ?? []),
      shown,
    );
  };
  if (selection.kind === "list") {
    const entries = selection.ids.map((id) => ({ id }));
    const matched = await filterMatching(reader, narrow, entries, false);
    const messages = await show(matched.map((message) => ({ id: message.id, message })));
    return { foundAnchor: false, foundOldest: false, foundNewest: false, messages: trimToReplySize(messages).kept };
  }
  const anchor = await resolveAnchor(reader, narrow, selection.anchor);
  const range = await readRange(await matchingSource(reader, narrow), { ...selection, anchor });
  const { kept, droppedOldest, droppedNewest } = trimToReplySize(await show(range.entries), anchor);
  return {
    anchor,
    foundAnchor: range.foundAnchor && kept.some(({ id }) => id === anchor),
    foundOldest: range.foundOldest && !droppedOldest,
    foundNewest: range.foundNewest && !droppedNewest,
    messages: kept,
  };
}

/** Adds the highlighted matches when the narrow has a search term. */
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
    return message ? { ...object, ...highlightMatches(message, object.subject, query) } : object;
  });
}

export const searchOf = (terms: readonly ResolvedTerm[]) =>
  terms.flatMap((term) => (term.by === "search" && !term.negated ? [term.query] : []))[0];

/** Lambda limits a response to 6 MB; this leaves room for the envelope and headers. */
const maxReplyBytes = 5_500_000;

/** An upper bound of a message's JSON size. Exact only for messages with edits, reactions and the like, so that most need not be serialized twice. */
function upperBoundBytes(message: MessageObject): number {
  const { content, edit_history, submessages, reactions, topic_links, display_recipient, match_content } = message;
  const more = edit_history || match_content || submessages.length || reactions.length || topic_links.length;
  return more || typeof content !== "string" || typeof display_recipient !== "string"
    ? Buffer.byteLength(JSON.stringify(message)) + 1
    : 6 * content.length + otherFieldsBytes;
}

/** Names, addresses and topic at six bytes per character (JSON escapes), and the remaining fields. */
const otherFieldsBytes = 6000;

/** Drops the messages farthest from the anchor until the reply fits; the client fetches them with its next request. */
function trimToReplySize(
  messages: MessageObject[],
  anchor = 0,
): { kept: MessageObject[]; droppedOldest: boolean; droppedNewest: boolean } {
  if (messages.reduce((sum, message) => sum + upperBoundBytes(message), 0) < maxReplyBytes)
    return { kept: messages, droppedOldest: false, droppedNewest: false };
  const sizes = messages.map((message) => Buffer.byteLength(JSON.stringify(message)) + 1);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let [start, end] = [0, messages.length];
  while (total > maxReplyBytes && end - start > 1) {
    const older = Math.max(0, anchor - (messages[start]?.id ?? 0));
    const newer = Math.max(0, (messages[end - 1]?.id ?? 0) - anchor);
    total -= (older >= newer ? sizes[start++] : sizes[--end]) ?? 0;
  }
  return { kept: messages.slice(start, end), droppedOldest: start > 0, droppedNewest: end < messages.length };
}
