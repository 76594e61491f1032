import { vi } from "vitest";
import { startNotificationCursor } from "../../../shared/mobile-push/notifications-enabled.ts";
import { type Cursor, cursors, findCursor } from "../../../shared/store/log/cursors.ts";
import { updateIf } from "../../../shared/store/table/transactions.ts";
import type { Key } from "../../../shared/store/table/writes.ts";
import { target } from "../target.ts";
import { eventually } from "../waiting.ts";

/** For cases that process the log themselves: keeps the fleet's own follower away by holding the cursor's lease. */

/** Longer than any worker's lease, so the remaining time tells that a test holds it. Expires if the test is killed. */
const leaseMs = 180_000;
const workerLeaseMs = 90_000;

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
    const before = await findCursor(key);
    if (!before && key === cursors.notifications) await startNotificationCursor();
    if (!before) return false;
    const left = (before.leasedUntil ?? 0) - Date.now();
    if (left > 0 && left <= workerLeaseMs) return false;
    return lease(key, before, Date.now() + leaseMs);
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
 * For the fleet's follower the lease does not end earlier.
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
