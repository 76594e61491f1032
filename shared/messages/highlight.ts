import type { Message } from "../store/messages.ts";
import { parseSearch } from "./search.ts";

const open = '<span class="highlight">';
const close = "</span>";

/** The fields `match_content` and `match_subject`: HTML in which what was searched for is marked (companion, B 4.6). */
export function highlighted(message: Pick<Message, "html">, shownTopic: string, query: string) {
  const pattern = patternOf(query);
  return {
    match_content: inHtml(message.html, pattern),
    match_subject: inText(shownTopic, pattern),
  };
}

const escapedForPattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** Matches whole words and quoted texts; longer ones first, so that a phrase is marked as one. No part can backtrack. */
function patternOf(query: string): RegExp {
  const { words, phrases } = parseSearch(query);
  const parts = [
    ...phrases.map(escapedForPattern),
    ...words.map((word) => `(?<![\\p{L}\\p{M}\\p{N}_])${escapedForPattern(word)}(?![\\p{L}\\p{M}\\p{N}_])`),
  ].sort((a, b) => b.length - a.length);
  return new RegExp(parts.join("|") || "(?!)", "giu");
}

/** Marks hits between tags: names, classes and addresses stay as they are. */
const inHtml = (html: string, pattern: RegExp) =>
  html.replace(/<[^>]*>|[^<]+/g, (piece) => (piece.startsWith("<") ? piece : inEscaped(piece, pattern)));

/** Text with entities: a hit must not lie inside one, so that "amp" does not break "&amp;". */
const inEscaped = (text: string, pattern: RegExp) =>
  text
    .split(/(&(?:#\w{1,8}|\w{1,8});)/)
    .map((piece, place) => (place % 2 === 1 ? piece : piece.replace(pattern, (hit) => `${open}${hit}${close}`)))
    .join("");

const inText = (text: string, pattern: RegExp) =>
  inEscaped(
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    pattern,
  );
