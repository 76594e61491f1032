import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { type AlertWords, findAlertWords, replaceAlertWords } from "../../store/users/alert-words.ts";

const includesWord = (words: readonly string[], word: string) =>
  words.some((known) => known.toLowerCase() === word.toLowerCase());

/** The caller's alert words; undefined for somebody who never had any. */
export const ownAlertWords: Need<AlertWords | undefined, { caller: Caller }> = {
  load: ({ caller }) => findAlertWords(caller.id),
};

/** The words with those added that are not among them yet, ignoring case. */
export function withWords(before: AlertWords | undefined, newWords: readonly string[]): string[] {
  const words = [...(before?.words ?? [])];
  for (const word of newWords.map((each) => each.trim()))
    if (word !== "" && !includesWord(words, word)) words.push(word);
  if (words.length > creationLimits.alertWord.max) throw badRequest(tooMany("alertWord"));
  return words;
}

/** The words without those removed, ignoring case. */
export function withoutWords(before: AlertWords | undefined, wordsToRemove: readonly string[]): string[] {
  const removedWords = wordsToRemove.map((each) => each.trim());
  return (before?.words ?? []).filter((word) => !includesWord(removedWords, word));
}

/** Replaces a user's words, if their number has changed. Conflicts if another request has changed them since they were read. */
export const wordsChange = (userId: number, before: AlertWords | undefined, words: string[]): Change | undefined =>
  words.length === (before?.words.length ?? 0)
    ? undefined
    : {
        writes: [replaceAlertWords(before, { userId, words })],
        events: [eventForUser(userId, { type: "alert_words", alert_words: words })],
      };

export const alertWordsState = async (caller: Caller) => ({
  alert_words: (await findAlertWords(caller.id))?.words ?? [],
});
