import { getItem } from "./table.ts";
import { transact } from "./transactions.ts";
import { put } from "./writes.ts";

/** A queue may hand a job over again for as long as it keeps it, 4 days by default. */
const keptSeconds = 8 * 86_400;

const key = (id: string) => ({ pk: `MAIL#${id}`, sk: "SENT" });

export const wasMailSent = async (id: string) => (await getItem(key(id), { consistent: true })) !== undefined;

/** Remembers that a mail has left, for as long as its job may come again. */
export const rememberMail = (id: string): Promise<void> =>
  transact([put({ ...key(id), expiresAt: Math.floor(Date.now() / 1000) + keptSeconds })]);
