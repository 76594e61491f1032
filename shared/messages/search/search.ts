import type { Message } from "../../store/messages/messages.ts";
import { textOfHtml } from "./text.ts";

/** The words of a string in lower case: runs of letters, digits and combining marks. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize("NFC")
    .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];

/** Parses a search: words to be found anywhere, and quoted phrases to be found literally. */
export function parseSearch(query: string) {
  const parts = query.match(/"[^"]+"|\S+/g) ?? [];
  const isQuoted = (part: string) => part.length > 2 && part.startsWith('"') && part.endsWith('"');
  return {
    words: [...new Set(parts.filter((part) => !isQuoted(part)).flatMap(wordsOf))],
    phrases: parts.filter(isQuoted).map((part) => part.slice(1, -1).toLowerCase().normalize("NFC")),
  };
}

/** Whether a message's text and topic together contain all words and phrases of a search. */
export function matchesSearch(message: Pick<Message, "content" | "html" | "topic">, query: string): boolean {
  const { words, phrases } = parseSearch(query);
  if (words.length === 0 && phrases.length === 0) return false;
  const texts = [message.content, textOfHtml(message.html), message.topic ?? ""].map((text) =>
    text.toLowerCase().normalize("NFC"),
  );
  if (!phrases.every((phrase) => texts.some((text) => text.includes(phrase)))) return false;
  // Phrases may match the Markdown source too; words, like those of the index, only what is visible.
  const visibleWords = new Set(texts.slice(1).flatMap(wordsOf));
  return words.every((word) => visibleWords.has(word));
}
