import type { Message } from "../../store/messages/messages.ts";
import { findAlertWords } from "../../store/users/alert-words.ts";
import type { Reader } from "../reader.ts";
import { textOfHtml } from "../search/text.ts";

/** The reader's current alert words in lower case; costs 0.5 read units. */
export const readAlertWords = async (reader: Reader): Promise<string[]> =>
  reader.caller ? readAlertWordsOf(reader.caller.id) : [];

/** A user's current alert words in lower case; costs 0.5 read units. */
export async function readAlertWordsOf(userId: number): Promise<string[]> {
  const found = await findAlertWords(userId);
  return (found?.words ?? []).map((word) => word.toLowerCase().normalize("NFC"));
}

const boundary = /[^\p{L}\p{M}\p{N}_]/gu;

/** The index of the first character from `index` on that is not part of a word, or the text's length. */
function nextBoundary(text: string, index: number): number {
  boundary.lastIndex = index;
  return boundary.exec(text)?.index ?? text.length;
}

const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

/** Whether a message's visible text contains one of the given words or phrases, not as part of a longer word. */
export function hasAlertWord({ html }: Pick<Message, "html">, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const text = textOfHtml(html).toLowerCase().normalize("NFC");
  return words.some((word) => {
    const beginsWithWord = isWordCharacter(word[0]);
    for (let at = text.indexOf(word); at >= 0; ) {
      const end = at + word.length;
      const beginsWithin = beginsWithWord && isWordCharacter(text[at - 1]);
      if (!beginsWithin && !(isWordCharacter(text[end]) && isWordCharacter(word.at(-1)))) return true;
      // The word may occur at every character of a long word, where it cannot begin.
      at = text.indexOf(word, beginsWithin ? nextBoundary(text, at) : at + 1);
    }
    return false;
  });
}
