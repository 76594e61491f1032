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

const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

/** Whether a message's visible text contains one of the given words or phrases, not as part of a longer word. */
export function hasAlertWord({ html }: Pick<Message, "html">, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const text = textOfHtml(html).toLowerCase().normalize("NFC");
  return words.some((word) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const end = at + word.length;
      if (
        !(isWordCharacter(text[at - 1]) && isWordCharacter(word[0])) &&
        !(isWordCharacter(text[end]) && isWordCharacter(word.at(-1)))
      )
        return true;
    }
    return false;
  });
}
