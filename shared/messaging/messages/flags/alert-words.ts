import { fold } from "../../../base/folding.ts";
import { ProcessCache } from "../../../base/process-cache.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { findAlertWords } from "../../../store/users/alert-words.ts";
import type { Reader } from "../reader.ts";
import { isUnspaced } from "../search/scripts.ts";
import { emojiOfHtml, textOfHtml } from "../search/text.ts";

/** The reader's current alert words, folded; costs 0.5 read units. */
export const readAlertWords = async (reader: Reader): Promise<string[]> =>
  reader.caller ? readAlertWordsOf(reader.caller.id) : [];

/** A user's current alert words, folded; costs 0.5 read units. */
export async function readAlertWordsOf(userId: number): Promise<string[]> {
  const found = await findAlertWords(userId);
  return (found?.words ?? []).map(fold).filter((word) => word !== "");
}

const boundary = /[^\p{L}\p{M}\p{N}_]/gu;

/** The index of the first character from `index` on that is not part of a word, or the text's length. */
function nextBoundary(text: string, index: number): number {
  boundary.lastIndex = index;
  return boundary.exec(text)?.index ?? text.length;
}

/** Whether a word does not end at a character. In scripts without spaces it may end at any. */
const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character) && !isUnspaced(character);

/** The folded texts of the messages that were looked at last: a message may be for many people. */
const foldedTexts = new ProcessCache<string, string>({ minRetained: 10 });

/** A message's visible text, followed by its emoji, folded. */
const foldedTextOf = (html: string) =>
  foldedTexts.getOrAdd(html, () => fold([textOfHtml(html), ...emojiOfHtml(html)].join(" ")));

/** Whether a message's visible text contains one of the given words or phrases, not as part of a longer word. */
export function hasAlertWord({ html }: Pick<Message, "html">, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const text = foldedTextOf(html);
  return words.some((word) => {
    const beginsWithWord = isWordCharacter(word[0]);
    for (let at = text.indexOf(word); at >= 0; ) {
      const end = at + word.length;
      const beginsWithin = beginsWithWord && isWordCharacter(text[at - 1]);
      if (!beginsWithin && !(isWordCharacter(text[end]) && isWordCharacter(word.at(-1)))) return true;
      // The word may occur at every character of a long word, where it cannot begin.
      at = text.indexOf(word, beginsWithin ? Math.max(at + 1, nextBoundary(text, at)) : at + 1);
    }
    return false;
  });
}
