import type { Message } from "../../store/messages/messages.ts";
import { parseSearch, wordsOf } from "./search.ts";
import { textOfHtml } from "./text.ts";

/** Words in most messages: indexing them would cost much and find little. */
export const stopWords = [
  ..."a an and are as at be but by do for from had has have he her his i if in is it its me my no not of on or our".split(
    " ",
  ),
  ..."she so that the their them then there they this to us was we were what when which who will with you your".split(
    " ",
  ),
];
const stopped = new Set(stopWords);

/** Partition keys are limited to 2 KB; longer words are indexed by their prefix. */
const maxWordCharacters = 64;
const toKeys = (words: Iterable<string>) => [
  ...new Set([...words].filter((word) => !stopped.has(word)).map((word) => word.slice(0, maxWordCharacters))),
];

/** The words under which a message is indexed: those of its visible text and its topic. */
export const indexedWords = ({ html, topic = "" }: Pick<Message, "html" | "topic">) =>
  toKeys([...wordsOf(textOfHtml(html)), ...wordsOf(topic)]);

/**
 * The indexed words of a query; none if the messages themselves must be scanned. A phrase gives no words: it may start and
 * end within words, and may match the Markdown source instead of the visible text.
 */
export const lookedUpWords = (query: string): string[] => toKeys(parseSearch(query).words);
