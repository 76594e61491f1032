import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { lagging } from "../table/consistency.ts";
import { getItem, getItems } from "../table/reads.ts";
import { updateAndGetIf, updateItem } from "../table/single-writes.ts";

/** Exceeds the retention of a queue (4 days by default), during which SQS may deliver a job again. */
const retentionSeconds = 8 * secondsPerDay;
/** Exceeds a function's time limit: if the sender dies, another worker can take over after this. */
const leaseMs = 90_000;

interface SentMail {
  id: string;
  sent?: true;
  /** UNIX milliseconds. */
  takenUntil?: number;
}

const key = (id: string) => ({ pk: `MAIL#${id}`, sk: "SENT" });
const expiry = () => nowSeconds() + retentionSeconds;

/**
 * Leases an e-mail for 90 seconds. Returns "sent" if it was sent already, "taken" if another worker has the lease.
 * 1 write unit.
 */
export async function leaseMail(id: string): Promise<"leased" | "sent" | "taken"> {
  const now = Date.now();
  const leased = await updateAndGetIf(
    key(id),
    { set: { id, takenUntil: now + leaseMs, expiresAt: expiry() } },
    { equals: { sent: undefined }, below: { takenUntil: now } },
  );
  if (leased) return "leased";
  return (await getItem<SentMail>(key(id)))?.sent ? "sent" : "taken";
}

/** Marks an e-mail as sent, for as long as its job may be redelivered. 1 write unit. */
export async function markMailSent(id: string): Promise<void> {
  await updateItem(key(id), { set: { id, sent: true, expiresAt: expiry() } });
}

/** Those of the e-mails that are sent, or that a worker has leased; not all of those of the last second. 0.5 read units each. */
export async function findLeasedMails(ids: readonly string[]): Promise<Set<string>> {
  const found = await getItems<SentMail>(ids.map(key), lagging);
  return new Set(ids.filter((_, index) => found[index]));
}
