import type { Caller } from "../identity/caller.ts";
import { findAlertWords } from "../store/users/alert-words.ts";

export const alertWordsState = async (caller: Caller) => ({
  alert_words: (await findAlertWords(caller.id))?.words ?? [],
});
