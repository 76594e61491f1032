import { setTimeout as pause } from "node:timers/promises";
import { badRequest } from "../errors.ts";
import { findAlertWords, replaceAlertWords } from "../store/alert-words.ts";
import { commit } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";

/** The most words that a user may have: they are looked for in every message that they receive. */
const mostWords = 500;
const attempts = 20;

const has = (words: readonly string[], word: string) =>
  words.some((known) => known.toLowerCase() === word.toLowerCase());

/** Adds words that are not there yet, ignoring case, and returns all of them. */
export const addAlertWords = (userId: number, added: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const after = [...words];
    for (const word of added.map((each) => each.trim())) if (word !== "" && !has(after, word)) after.push(word);
    if (after.length > mostWords) throw badRequest(`You can have at most ${mostWords} alert words.`);
    return after;
  });

/** Removes words, ignoring case, and returns those that stay. */
export const removeAlertWords = (userId: number, removed: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const gone = removed.map((each) => each.trim());
    return words.filter((word) => !has(gone, word));
  });

/** Two changes at once lose nothing: the second is made on what the first has left. */
async function changeWords(userId: number, change: (words: string[]) => string[]): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    const before = await findAlertWords(userId, { consistent: true });
    const words = change(before?.words ?? []);
    if (words.length === (before?.words.length ?? 0)) return words;
    try {
      return await commit({ events: 1 }, () => ({
        writes: [replaceAlertWords(before, { userId, words })],
        events: [
          { audience: { kind: "users", userIds: [userId] }, event: { type: "alert_words", alert_words: words } },
        ],
        result: words,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === attempts) throw error;
      await pause(Math.random() * 20 * attempt);
    }
  }
}
