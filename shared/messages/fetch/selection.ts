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
  /** Only if a range was requested. */
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
  const present = async (entries: Parameters<typeof presentMessages>[1]) => {
    const objects = await presentMessages(reader.caller, entries, reader.realm, presentation, reader);
    return withHighlights(
      narrow,
      entries.flatMap(({ message }) => message ?? []),
      objects,
    );
  };
  if (selection.kind === "list") {
    const entries = selection.ids.map((id) => ({ id }));
    const matches = await filterMatching(reader, narrow, entries, false);
    const messages = await present(matches.map((message) => ({ id: message.id, message })));
    return { foundAnchor: false, foundOldest: false, foundNewest: false, messages: trimToReplySize(messages).kept };
  }
  const anchor = await resolveAnchor(reader, narrow, selection.anchor);
  const range = await readRange(await matchingSource(reader, narrow), { ...selection, anchor });
  const { kept, droppedOldest, droppedNewest } = trimToReplySize(await present(range.entries), anchor);
  return {
    anchor,
    foundAnchor: range.foundAnchor && kept.some(({ id }) => id === anchor),
    foundOldest: range.foundOldest && !droppedOldest,
    foundNewest: range.foundNewest && !droppedNewest,
    messages: kept,
  };
}

/** Adds the highlighted matches when the narrow has a search term. */
export function withHighlights(
  { terms }: Narrow,
  messages: readonly Message[],
  objects: readonly MessageObject[],
): MessageObject[] {
  const query = searchOf(terms);
  if (query === undefined) return [...objects];
  const byId = new Map(messages.map((message) => [message.id, message]));
  return objects.map((object) => {
    const message = byId.get(object.id);
    return message ? { ...object, ...highlightMatches(message, object.subject, query) } : object;
  });
}

/** A narrow's search query, if it has one. */
export const searchOf = (terms: readonly ResolvedTerm[]) =>
  terms.flatMap((term) => (term.kind === "search" && !term.negated ? [term.query] : []))[0];

/** Lambda limits a response to 6 MB; this leaves room for the envelope and headers. */
const maxReplyBytes = 5_500_000;

/**
 * An upper bound of a message's JSON size. Exact for messages with edits, reactions and the like; the others are not serialized
 * for it.
 */
function upperBoundBytes(message: MessageObject): number {
  const { content, edit_history, submessages, reactions, topic_links, display_recipient, match_content } = message;
  const hasDetails = edit_history || match_content || submessages.length || reactions.length || topic_links.length;
  return hasDetails || typeof content !== "string" || typeof display_recipient !== "string"
    ? Buffer.byteLength(JSON.stringify(message)) + 1
    : maxBytesPerCharacter * content.length + otherFieldsBytes;
}

/** The length of a JSON escape such as `\u0000`. */
const maxBytesPerCharacter = 6;
/** Names, addresses and topic with as many bytes per character, and the remaining fields. */
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
