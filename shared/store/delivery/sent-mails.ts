import { nowSeconds, secondsPerDay } from "../../time.ts";
import { ConditionFailed, transact } from "../table/transactions.ts";
import { put } from "../table/writes.ts";

/** Exceeds the retention of a queue (4 days by default), during which SQS may deliver a job again. */
const retentionSeconds = 8 * secondsPerDay;
/** Exceeds a function's time limit: if the sender dies, another worker can take over after this. */
const leaseMs = 90_000;

const item = (id: string, state: { takenUntil: number } | { sent: true }) => ({
  pk: `MAIL#${id}`,
  sk: "SENT",
  ...state,
  expiresAt: nowSeconds() + retentionSeconds,
});

/**
 * Leases an e-mail for 90 seconds. Returns "sent" if it was sent already, "taken" if another worker has the lease.
 * 2 write units.
 */
export async function leaseMail(id: string): Promise<"leased" | "sent" | "taken"> {
  const now = Date.now();
  const unleased = { equals: { sent: undefined }, below: { takenUntil: now } };
  try {
    await transact([put(item(id, { takenUntil: now + leaseMs }), unleased)]);
    return "leased";
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.existing?.sent ? "sent" : "taken";
  }
}

/** Marks an e-mail as sent, for as long as its job may be redelivered. 2 write units. */
export const markMailSent = (id: string): Promise<void> => transact([put(item(id, { sent: true }))]);
