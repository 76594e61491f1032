import { createHash } from "node:crypto";
import { deleteItem, updateItem } from "../table/transactions.ts";
import { secondsLeft } from "./request-counts.ts";

/** Attempts at logins, counted in windows of time, by whom they were for or from where they came. */
export interface AttemptWindow {
  kind: "account" | "address";
  name: string;
  seconds: number;
}

/** The name is hashed: what a stranger typed as a user name is nobody's to read. */
const key = ({ kind, name, seconds }: AttemptWindow, at: number) => ({
  pk: `ATTEMPTS#${kind}#${createHash("sha256").update(name).digest("hex")}`,
  sk: String(Math.floor(at / seconds)),
});

/** Counts one attempt and returns how many the window then has; 1 write unit. Whoever counts first cannot be outrun. */
export async function countAttempt(window: AttemptWindow, at: number): Promise<number> {
  const expiresAt = Math.ceil(at + secondsLeft(window, at));
  const { attempts } = await updateItem<{ attempts: number }>(key(window, at), {
    add: { attempts: 1 },
    set: { expiresAt },
  });
  return attempts;
}

/** Takes back an attempt that was none; 1 write unit. */
export async function uncountAttempt(window: AttemptWindow, at: number): Promise<void> {
  await updateItem(key(window, at), { add: { attempts: -1 } });
}

/** Forgets the attempts of the present window; 1 write unit. */
export const forgetAttempts = (window: AttemptWindow, at: number): Promise<void> => deleteItem(key(window, at));
