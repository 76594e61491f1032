import { hashOf } from "../table/keys.ts";
import { deleteIf, deleteItem, updateItem } from "../table/single-writes.ts";
import { secondsLeft } from "./request-counts.ts";

/**
 * Login attempts, counted in fixed time windows: of an account from one network, of an account from all networks that are
 * unknown to it, and of a network.
 */
export interface AttemptWindow {
  kind: "account" | "strangers" | "address";
  name: string;
  seconds: number;
}

/** The name is hashed, because users may type a password as their user name by mistake. */
const key = ({ kind, name, seconds }: AttemptWindow, at: number) => ({
  pk: `ATTEMPTS#${kind}#${hashOf(name)}`,
  sk: String(Math.floor(at / seconds)),
});

/** The attempts of a window so far, and the UNIX time of the first. */
export interface AttemptCount {
  attempts: number;
  since: number;
}

/** Counts an attempt and returns the window's count; 1 write unit. Atomic, so that concurrent attempts cannot evade a limit. */
export const countAttempt = (window: AttemptWindow, at: number): Promise<AttemptCount> =>
  updateItem<AttemptCount>(key(window, at), {
    add: { attempts: 1 },
    set: { expiresAt: Math.ceil(at + secondsLeft(window, at)) },
    setIfAbsent: { since: at },
  });

/** Counts an attempt anew in a window whose count so far is forgiven; 2 write units. Of concurrent calls, one resets the count. */
export async function recountAttempt(
  window: AttemptWindow,
  at: number,
  { since }: AttemptCount,
): Promise<AttemptCount> {
  await deleteIf(key(window, at), { equals: { since } });
  return countAttempt(window, at);
}

/** Undoes the count of an attempt that turned out not to be one; 1 write unit. */
export async function uncountAttempt(window: AttemptWindow, at: number): Promise<void> {
  await updateItem(key(window, at), { add: { attempts: -1 } });
}

/** Resets the current window; 1 write unit. */
export const resetAttempts = (window: AttemptWindow, at: number): Promise<void> => deleteItem(key(window, at));
