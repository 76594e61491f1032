import { vi } from "vitest";
import { startNotificationCursor } from "../../../shared/mobile-push/notifications-enabled.ts";
import { type Cursor, cursors, findCursor } from "../../../shared/store/log/cursors.ts";
import { updateIf } from "../../../shared/store/table/transactions.ts";
import type { Key } from "../../../shared/store/table/writes.ts";
import { target } from "../target.ts";
import { eventually } from "../waiting.ts";

/** For cases that follow the log themselves, or tell what follows from it: the fleet's own follower is kept away meanwhile. */

/** A lease longer than any worker's, by which a case's is known; nobody has to give it back. */
const heldMs = 180_000;
const workersLeaseMs = 90_000;

const lease = (key: Key, { leasedUntil }: Cursor, until: number) =>
  updateIf(key, { set: { leasedUntil: until } }, { equals: { leasedUntil } });

/** Has the log for this process for three minutes from now on, to be followed for all that the fleet follows it for. */
export async function holdLog(key: Key = cursors.notifications): Promise<void> {
  if (key === cursors.notifications) {
    process.env.SKEIN_PUSH_BOUNCER_URL = target().bouncerUrl;
    process.env.MAIL_FROM ??= "skein@globe.test";
  }
  await eventually(async () => {
    const before = await findCursor(key);
    if (!before && key === cursors.notifications) await startNotificationCursor();
    if (!before) return false;
    const left = (before.leasedUntil ?? 0) - Date.now();
    if (left > 0 && left <= workersLeaseMs) return false;
    return lease(key, before, Date.now() + heldMs);
  }, 90);
}

/** Leaves the log to the fleet's follower, which takes it up where this process has left it. */
export async function releaseLog(key: Key = cursors.notifications): Promise<void> {
  const held = await findCursor(key);
  if (held && (held.leasedUntil ?? 0) - Date.now() > workersLeaseMs) await lease(key, held, 0);
}

/**
 * Does `work` as if the time had passed for which somebody has the log: a case's lease, or that of a worker that died.
 * It is later for this process alone; to the fleet's follower the log is not free before.
 */
export async function afterLease<T>(work: () => Promise<T>, key: Key = cursors.notifications): Promise<T> {
  const { leasedUntil = 0 } = (await findCursor(key)) ?? {};
  const ahead = Math.max(0, leasedUntil - Date.now()) + 1000;
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
