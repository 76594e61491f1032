import { escapeHtml } from "../../html.ts";
import type { Message } from "../../store/messages/messages.ts";
import { parseSearch } from "./search.ts";
import { textOfHtml } from "./text.ts";

const openMark = '<span class="highlight">';
const closeMark = "</span>";

/** The fields `match_content` and `match_subject`: HTML with the matches marked. See https://zulip.com/api/get-messages. */
export function highlightMatches(message: Pick<Message, "html">, shownTopic: string, query: string) {
  const pattern = patternOf(query);
  return {
    match_content: highlightHtml(message.html, pattern),
    match_subject: highlightHtml(escapeHtml(shownTopic, true), pattern),
  };
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** Matches whole words, and phrases; longer ones first, so that a phrase gets a single mark. The pattern cannot backtrack. */
function patternOf(query: string): RegExp {
  const { words, phrases } = parseSearch(query);
  const parts = [
    ...phrases.map(escapePattern),
    ...words.map((word) => `(?<![\\p{L}\\p{M}\\p{N}_])${escapePattern(word)}(?![\\p{L}\\p{M}\\p{N}_])`),
  ].sort((a, b) => b.length - a.length);
  return new RegExp(parts.join("|") || "(?!)", "giu");
}

/** Marks matches in the visible text. Keeps tags and entities intact; a match across a tag gets one mark for each part. */
function highlightHtml(html: string, pattern: RegExp): string {
  const pieces = html.match(/<[^>]*>|&#?\w{1,8};|[^<&]+|[<&]/g) ?? [];
  const texts = pieces.map(textOfHtml);
  const hits = [...texts.join("").matchAll(pattern)].map(({ index, 0: hit }) => ({
    from: index,
    to: index + hit.length,
  }));
  let marked = "";
  let isOpen = false;
  // Positions count characters of the visible text.
  let position = 0;
  const append = (source: string, isHit: boolean) => {
    if (isHit !== isOpen) marked += isHit ? openMark : closeMark;
    isOpen = isHit;
    marked += source;
  };
  pieces.forEach((piece, index) => {
    const text = texts[index] ?? "";
    const end = position + text.length;
    // A tag or an entity is appended whole; other text is cut where a match begins or ends.
    if (piece !== text) append(piece, !isTag(piece) && (hits[0]?.from ?? end) < end);
    while (position < end) {
      const [{ from, to } = { from: end, to: end }] = hits;
      const stop = Math.min(end, from > position ? from : to);
      if (piece === text) append(piece.slice(position - end, stop - end || undefined), from <= position);
      position = stop;
      if (to <= position) hits.shift();
    }
  });
  append("", false);
  return marked;
}

const isTag = (piece: string) => piece.length > 1 && piece.startsWith("<");
