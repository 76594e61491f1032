import type { Message } from "../../store/messages/messages.ts";
import { parseSearch, wordsOf } from "./search.ts";
import { textOfHtml } from "./text.ts";

/** Words that occur in most messages: indexing them would cost much, and searching for them would find too much. */
const stopWords = new Set(
  [
    "a an and are as at be but by do for from had has have he her his i if in is it its me my no not of on or our",
    "she so that the their them then there they this to us was we were what when which who will with you your",
  ].flatMap((line) => line.split(" ")),
);

/** Sort keys are limited to 1 KB; longer words are indexed by their prefix, without half a character at its end. */
const maxWordCharacters = 64;
const prefixOf = (word: string) => word.slice(0, maxWordCharacters).replace(/[\ud800-\udbff]$/, "");
const toIndexKeys = (words: Iterable<string>) => [
  ...new Set([...words].filter((word) => !stopWords.has(word)).map(prefixOf)),
];

/** The words under which a message is indexed: those of its visible text and its topic. */
export const indexedWords = ({ html, topic = "" }: Pick<Message, "html" | "topic">) =>
  toIndexKeys([...wordsOf(textOfHtml(html)), ...wordsOf(topic)]);

/**
 * The words of a query that can be looked up in the index. Without any, the messages themselves must be scanned. A phrase has
 * none: it may start and end within words, and may match the Markdown source instead of the visible text.
 */
export const indexedQueryWords = (query: string): string[] => toIndexKeys(parseSearch(query).words);
