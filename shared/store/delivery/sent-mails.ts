import { ConditionFailed, transact } from "../table/transactions.ts";
import { put } from "../table/writes.ts";

/** A queue may hand a job over again for as long as it keeps it, 4 days by default. */
const keptSeconds = 8 * 86_400;
/** Exceeds a function's time limit: a mail whose sender died is free for another after this. */
const takenMs = 90_000;

const item = (id: string, state: { takenUntil: number } | { sent: true }) => ({
  pk: `MAIL#${id}`,
  sk: "SENT",
  ...state,
  expiresAt: Math.floor(Date.now() / 1000) + keptSeconds,
});

/** Leases a mail for a minute and a half, or says that it was sent or is leased by another. 2 write units. */
export async function takeMail(id: string): Promise<"yours" | "sent" | "taken"> {
  const now = Date.now();
  const free = { equals: { sent: undefined }, below: { takenUntil: now } };
  try {
    await transact([put(item(id, { takenUntil: now + takenMs }), free)]);
    return "yours";
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.existing.get(0)?.sent ? "sent" : "taken";
  }
}

/** Marks a mail as sent, for as long as its job may be redelivered. 2 write units. */
export const rememberMail = (id: string): Promise<void> => transact([put(item(id, { sent: true }))]);
