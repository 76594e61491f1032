import type { Message } from "../store/messages.ts";
import { parseSearch, wordsOf } from "./search.ts";
import { textOfHtml } from "./search-text.ts";

/** Words that stand in most messages: listing them would cost much and find little. */
export const stopWords = [
  ..."a an and are as at be but by do for from had has have he her his i if in is it its me my no not of on or our".split(
    " ",
  ),
  ..."she so that the their them then there they this to us was we were what when which who will with you your".split(
    " ",
  ),
];
const stopped = new Set(stopWords);

/** Keys are limited to 2 KB; what is longer than any word is found by its beginning. */
const longestWord = 64;
const keyed = (words: Iterable<string>) => [
  ...new Set([...words].filter((word) => !stopped.has(word)).map((word) => word.slice(0, longestWord))),
];

/** The words under which a message is listed: those of its text as people read it, and of its topic. */
export const indexedWords = ({ html, topic = "" }: Pick<Message, "html" | "topic">) =>
  keyed([...wordsOf(textOfHtml(html)), ...wordsOf(topic)]);

/**
 * The words by which candidates for a search can be looked up; none when it must be looked for in the texts themselves.
 * A quoted text begins and ends anywhere, and may be what was typed instead of what one reads: it gives no words.
 */
export const lookedUpWords = (query: string): string[] => keyed(parseSearch(query).words);
