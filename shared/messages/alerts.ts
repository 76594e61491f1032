import { findAlertWords } from "../store/alert-words.ts";
import type { Message } from "../store/messages.ts";
import type { Reader } from "./reader.ts";
import { textOfHtml } from "./search-text.ts";

/** A reader's alert words, in lower case, as they are now; 0.5 read units. */
export async function readAlertWords(reader: Reader): Promise<string[]> {
  const found = reader.caller ? await findAlertWords(reader.caller.id) : undefined;
  return (found?.words ?? []).map((word) => word.toLowerCase().normalize("NFC"));
}

const isWordy = (character: string | undefined) => character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

/** Whether a text that people read has one of some words or phrases, not as a part of a longer word. */
export function hasAlertWord({ html }: Pick<Message, "html">, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const text = textOfHtml(html).toLowerCase().normalize("NFC");
  return words.some((word) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const end = at + word.length;
      if (!(isWordy(text[at - 1]) && isWordy(word[0])) && !(isWordy(text[end]) && isWordy(word.at(-1)))) return true;
    }
    return false;
  });
}
