import { hashOf } from "../table/keys.ts";
import { deleteItem, updateItem } from "../table/single-writes.ts";
import { secondsLeft } from "./request-counts.ts";

/** Login attempts, counted in fixed time windows by account and by network address. */
export interface AttemptWindow {
  kind: "account" | "address";
  name: string;
  seconds: number;
}

/** The name is hashed, because users may type a password as their user name by mistake. */
const key = ({ kind, name, seconds }: AttemptWindow, at: number) => ({
  pk: `ATTEMPTS#${kind}#${hashOf(name)}`,
  sk: String(Math.floor(at / seconds)),
});

/** Counts an attempt and returns the window's total; 1 write unit. Atomic, so that concurrent attempts cannot evade a limit. */
export async function countAttempt(window: AttemptWindow, at: number): Promise<number> {
  const expiresAt = Math.ceil(at + secondsLeft(window, at));
  const { attempts } = await updateItem<{ attempts: number }>(key(window, at), {
    add: { attempts: 1 },
    set: { expiresAt },
  });
  return attempts;
}

/** Undoes the count of an attempt that turned out not to be one; 1 write unit. */
export async function uncountAttempt(window: AttemptWindow, at: number): Promise<void> {
  await updateItem(key(window, at), { add: { attempts: -1 } });
}

/** Resets the current window; 1 write unit. */
export const resetAttempts = (window: AttemptWindow, at: number): Promise<void> => deleteItem(key(window, at));
