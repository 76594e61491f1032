import { creationLimits, tooMany } from "../creation-limits.ts";
import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit } from "../store/log/log.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import { findAlertWords, replaceAlertWords } from "../store/users/alert-words.ts";

const includesWord = (words: readonly string[], word: string) =>
  words.some((known) => known.toLowerCase() === word.toLowerCase());

/** Adds the words that the user does not have yet, ignoring case, and returns all of the user's words. */
export const addAlertWords = (userId: number, newWords: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const after = [...words];
    for (const word of newWords.map((each) => each.trim()))
      if (word !== "" && !includesWord(after, word)) after.push(word);
    if (after.length > creationLimits.alertWord.max) throw badRequest(tooMany("alertWord"));
    return after;
  });

/** Removes words, ignoring case, and returns the remaining ones. */
export const removeAlertWords = (userId: number, wordsToRemove: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const removedWords = wordsToRemove.map((each) => each.trim());
    return words.filter((word) => !includesWord(removedWords, word));
  });

/** Retries on a conflict, so that no concurrent change is lost. */
const changeWords = (userId: number, change: (words: string[]) => string[]): Promise<string[]> =>
  retryOnConflict(async () => {
    const before = await findAlertWords(userId);
    const words = change(before?.words ?? []);
    if (words.length === (before?.words.length ?? 0)) return words;
    await commit({
      writes: [replaceAlertWords(before, { userId, words })],
      events: [eventForUser(userId, { type: "alert_words", alert_words: words })],
    });
    return words;
  });

export const alertWordsState = async (caller: Caller) => ({
  alert_words: (await findAlertWords(caller.id))?.words ?? [],
});
