import { corrected } from "../table/consistency.ts";
import { getItem } from "../table/reads.ts";
import { put, type Write } from "../table/writes.ts";

/** Words that notify a user when a message contains them. */
export interface AlertWords {
  userId: number;
  /** In the order in which they were added; unique ignoring case. */
  words: string[];
  /** Incremented by each change. */
  version: number;
}

const key = (userId: number) => ({ pk: `USER#${userId}`, sk: "ALERTWORDS" });

export const findAlertWords = (userId: number) => getItem<AlertWords>(key(userId), corrected);

/** Replaces a user's words; fails when they have changed since they were read. */
export const replaceAlertWords = (before: AlertWords | undefined, after: Omit<AlertWords, "version">): Write =>
  put(
    { ...key(after.userId), ...after, version: (before?.version ?? 0) + 1 },
    before ? { equals: { version: before.version } } : { exists: false },
  );
