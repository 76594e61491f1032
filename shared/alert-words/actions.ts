import { badRequest } from "../errors.ts";
import { commit } from "../store/log/log.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import { findAlertWords, replaceAlertWords } from "../store/users/alert-words.ts";

/** The most words that a user may have: they are looked for in every message that they receive. */
const maxWords = 500;

const has = (words: readonly string[], word: string) =>
  words.some((known) => known.toLowerCase() === word.toLowerCase());

/** Adds words that are not there yet, ignoring case, and returns all of them. */
export const addAlertWords = (userId: number, added: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const after = [...words];
    for (const word of added.map((each) => each.trim())) if (word !== "" && !has(after, word)) after.push(word);
    if (after.length > maxWords) throw badRequest(`You can have at most ${maxWords} alert words.`);
    return after;
  });

/** Removes words, ignoring case, and returns those that stay. */
export const removeAlertWords = (userId: number, removed: readonly string[]): Promise<string[]> =>
  changeWords(userId, (words) => {
    const gone = removed.map((each) => each.trim());
    return words.filter((word) => !has(gone, word));
  });

/** Two changes at once lose nothing: the second is made on what the first has left. */
const changeWords = (userId: number, change: (words: string[]) => string[]): Promise<string[]> =>
  retryOnConflict(async () => {
    const before = await findAlertWords(userId, { consistent: true });
    const words = change(before?.words ?? []);
    if (words.length === (before?.words.length ?? 0)) return words;
    return commit({ events: 1 }, () => ({
      writes: [replaceAlertWords(before, { userId, words })],
      events: [{ audience: { kind: "users", userIds: [userId] }, event: { type: "alert_words", alert_words: words } }],
      result: words,
    }));
  });
