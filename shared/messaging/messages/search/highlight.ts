import { escapeHtml } from "../../../base/html.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { findMatches, type Span } from "./match.ts";
import type { Search } from "./query.ts";
import { analyzeHtml, type HtmlPiece, isTag, piecesOfHtml } from "./text.ts";

const openMark = '<span class="highlight">';
const closeMark = "</span>";

/** The fields `match_content` and `match_subject`: HTML with the matches marked. See https://zulip.com/api/get-messages. */
export function highlightMatches(message: Pick<Message, "html">, shownTopic: string, search: Search) {
  return {
    match_content: highlightHtml(message.html, search),
    match_subject: highlightHtml(escapeHtml(shownTopic, true), search),
  };
}

/** Marks matches in the visible text. Keeps tags and entities intact; a match across a tag gets one mark for each part. */
function highlightHtml(html: string, search: Search): string {
  const pieces = piecesOfHtml(html);
  const text = pieces.map((piece) => piece.text).join("");
  return mark(pieces, findMatches(text, analyzeHtml(pieces), search));
}

function mark(pieces: readonly HtmlPiece[], hits: Span[]): string {
  let marked = "";
  let isOpen = false;
  /** In the source of a formula, a mark would end the formula for a browser. */
  let isSource = false;
  // Positions count characters of the visible text.
  let position = 0;
  const append = (source: string, isHit: boolean) => {
    const isMarked = isHit && !isSource;
    if (isMarked !== isOpen) marked += isMarked ? openMark : closeMark;
    isOpen = isMarked;
    marked += source;
  };
  for (const { source, text } of pieces) {
    const end = position + text.length;
    if (source.startsWith("<annotation")) isSource = true;
    else if (source === "</annotation>") isSource = false;
    // A tag or an entity is appended whole; other text is cut where a match begins or ends.
    if (source !== text) append(source, !isTag(source) && (hits[0]?.from ?? end) < end);
    while (position < end) {
      const [{ from, to } = { from: end, to: end }] = hits;
      const stop = Math.min(end, from > position ? from : to);
      if (source === text) append(source.slice(position - end, stop - end || undefined), from <= position);
      position = stop;
      if (to <= position) hits.shift();
    }
  }
  append("", false);
  return marked;
}
