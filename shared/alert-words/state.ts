import { findAlertWords } from "../store/alert-words.ts";
import type { Caller } from "../users/caller.ts";

/** What a client that registers is told of the caller's alert words. */
export const alertWordsState = async (caller: Caller) => ({
  alert_words: (await findAlertWords(caller.id))?.words ?? [],
});
