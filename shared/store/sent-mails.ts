import { ConditionFailed, transact } from "./transactions.ts";
import { put } from "./writes.ts";

/** A queue may hand a job over again for as long as it keeps it, 4 days by default. */
const keptSeconds = 8 * 86_400;
/** Longer than a function lives: whoever took a mail and died leaves it to another after that. */
const takenMs = 90_000;

const item = (id: string, state: { takenUntil: number } | { sent: true }) => ({
  pk: `MAIL#${id}`,
  sk: "SENT",
  ...state,
  expiresAt: Math.floor(Date.now() / 1000) + keptSeconds,
});

/** Takes a mail, so that nobody else sends it for a minute and a half; else says whether it has left, or is taken. 2 write units. */
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

/** Remembers that a mail has left, for as long as its job may come again. 2 write units. */
export const rememberMail = (id: string): Promise<void> => transact([put(item(id, { sent: true }))]);
