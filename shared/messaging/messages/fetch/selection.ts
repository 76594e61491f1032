import { eachInSlices } from "../../../base/in-slices.ts";
import { maxReplyBytes } from "../../../services/http/reply-size.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";
import { highlightMatches } from "../search/highlight.ts";
import type { Search } from "../search/query.ts";
import type { MessageObject } from "../wire.ts";
import { resolveAnchor, type Selection } from "./anchor.ts";
import { loadMessages } from "./load-messages.ts";
import { filterMatching, matchingSource, type Narrow } from "./matching.ts";
import { searchOf } from "./narrow-predicates.ts";
import { type Presentation, presentMessages } from "./present-messages.ts";
import { readRange } from "./range.ts";
import { addHtmlBytes, candidatesAround, fittingAround, nearestFirst, shorten } from "./reply-window.ts";
import type { ResolvedTerm } from "./terms.ts";

interface SelectedMessages {
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
  const present = (messages: readonly Message[], anchor: number) =>
    presentAround(reader, narrow, messages, anchor, presentation);
  if (selection.kind === "list") {
    const matches = await loadListed(reader, narrow, selection.ids);
    const { objects } = await present(matches, 0);
    return { foundAnchor: false, foundOldest: false, foundNewest: false, messages: objects };
  }
  const anchor = await resolveAnchor(reader, narrow, selection.anchor);
  const range = await readRange(await matchingSource(reader, narrow), { ...selection, anchor });
  const messages = await loadMessages(range.entries);
  const { objects, droppedOldest, droppedNewest } = await present(messages, anchor);
  return {
    anchor,
    foundAnchor: range.foundAnchor && objects.some(({ id }) => id === anchor),
    foundOldest: range.foundOldest && !droppedOldest,
    foundNewest: range.foundNewest && !droppedNewest,
    messages: objects,
  };
}

/** How many of the listed messages are read before their sizes are looked at. */
const listStep = 200;

/** The messages of a list of IDs that match: the oldest, as many as a reply may have room for. */
export async function loadListed(reader: Reader, narrow: Narrow, ids: readonly number[]): Promise<Message[]> {
  const matches: Message[] = [];
  for (let start = 0, bytes = 0; start < ids.length && bytes < maxReplyBytes; start += listStep) {
    const entries = ids.slice(start, start + listStep).map((id) => ({ id }));
    const found = await filterMatching(reader, narrow, entries, false);
    bytes = addHtmlBytes(bytes, found);
    matches.push(...found);
  }
  return matches;
}

/** Converts the messages around an anchor, as many as fit into a reply. */
async function presentAround(
  reader: Reader,
  narrow: Narrow,
  messages: readonly Message[],
  anchor: number,
  presentation: Presentation,
) {
  const candidates = candidatesAround(messages, anchor);
  const chosen = messages.slice(candidates.start, candidates.end);
  const entries = chosen.map((message) => ({ id: message.id, message }));
  const presented = await presentMessages(reader.caller, entries, reader.realm, presentation, reader);
  const objects = await withHighlights(reader, narrow, chosen, presented, anchor);
  const { start, end } = fittingAround(objects, anchor);
  return {
    objects: objects.slice(start, end),
    droppedOldest: candidates.start + start > 0,
    droppedNewest: candidates.end < messages.length || end < objects.length,
  };
}

/**
 * Adds the highlighted matches when the narrow has a search term. They are made for the messages nearest to the anchor, until a reply has
 * no room for more.
 */
async function withHighlights(
  reader: Reader,
  { terms }: Narrow,
  messages: readonly Message[],
  objects: readonly MessageObject[],
  anchor: number,
): Promise<MessageObject[]> {
  const search = highlightedSearch(reader, terms);
  if (search === undefined) return [...objects];
  const byId = new Map(messages.map((message) => [message.id, message]));
  const highlighted = [...objects];
  let bytes = 0;
  await eachInSlices(
    nearestFirst(
      objects.map(({ id }) => id),
      anchor,
    ),
    (index) => {
      const object = objects[index] as MessageObject;
      const message = byId.get(object.id);
      if (!message) return true;
      const shown = shorten({ ...object, ...highlightMatches(message, object.subject, search) });
      highlighted[index] = shown;
      // Never more than what the window counts of it, so that the window ends no later than this.
      bytes += shown.match_content?.length ?? 0;
      return bytes <= maxReplyBytes;
    },
  );
  return highlighted;
}

/** The search whose matches are highlighted, if the narrow has one. */
export const highlightedSearch = (reader: Reader, terms: readonly ResolvedTerm[]): Search | undefined =>
  terms.flatMap((term) => (term.kind === "search" && !term.negated ? [searchOf(reader, term)] : []))[0];
