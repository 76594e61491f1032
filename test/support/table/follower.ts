import { vi } from "vitest";
import { startNotificationCursor } from "../../../shared/messaging/notifications/notifications-enabled.ts";
import { type Cursor, cursors, findCursor } from "../../../shared/store/log/cursors.ts";
import { updateIf } from "../../../shared/store/table/single-writes.ts";
import type { Key } from "../../../shared/store/table/writes.ts";
import { target } from "../target.ts";
import { eventually } from "../waiting.ts";

/** For tests that process the log themselves: holds a cursor's lease, so that the fleet's own follower does no work. */

/** Longer than any worker's lease, so a longer remaining time shows that a test holds it. Expires if the test is killed. */
const leaseMs = 180_000;
const workerLeaseMs = 90_000;

/** Sets the end of a lease, unless somebody has changed it since `cursor` was read. */
const lease = (key: Key, { leasedUntil }: Cursor, until: number) =>
  updateIf(key, { set: { leasedUntil: until } }, { equals: { leasedUntil } });

/** The settings that this process needs to send notifications as the fleet does. */
const notificationSettings = ["SKEIN_PUSH_BOUNCER_URL", "MAIL_FROM"];
/** Their values before `holdLog`, which `releaseLog` restores for the next test file. */
const originalValues = new Map<string, string | undefined>();

/** Takes the lease of a cursor for this process for three minutes. */
export async function holdLog(key: Key = cursors.notifications): Promise<void> {
  if (key === cursors.notifications) {
    for (const name of notificationSettings) if (!originalValues.has(name)) originalValues.set(name, process.env[name]);
    process.env.SKEIN_PUSH_BOUNCER_URL = target().bouncerUrl;
    process.env.MAIL_FROM ??= "skein@globe.test";
  }
  await eventually(async () => {
    const cursor = await findCursor(key);
    if (!cursor && key === cursors.notifications) await startNotificationCursor();
    if (!cursor) return false;
    const remainingMs = (cursor.leasedUntil ?? 0) - Date.now();
    if (remainingMs > 0 && remainingMs <= workerLeaseMs) return false;
    return lease(key, cursor, Date.now() + leaseMs);
  }, 90);
}

/** Releases the lease; the fleet's follower continues where this process stopped. */
export async function releaseLog(key: Key = cursors.notifications): Promise<void> {
  const held = await findCursor(key);
  if (held && (held.leasedUntil ?? 0) - Date.now() > workerLeaseMs) await lease(key, held, 0);
  if (key !== cursors.notifications) return;
  for (const [name, value] of originalValues) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  originalValues.clear();
}

/**
 * Runs `work` with this process's clock set to after the end of the current lease, whether a test or a dead worker holds it.
 * The clock of the fleet's follower does not change, so for the follower the lease continues.
 */
export async function afterLease<T>(work: () => Promise<T>, key: Key = cursors.notifications): Promise<T> {
  const { leasedUntil = 0 } = (await findCursor(key)) ?? {};
  const aheadMs = Math.max(0, leasedUntil - Date.now()) + 1000;
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + aheadMs);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
