import { vi } from "vitest";
import { beginFollowing } from "../../shared/push/followed.ts";
import { findPushPosition, movePushPosition } from "../../shared/store/push-position.ts";
import { ConditionFailed } from "../../shared/store/transactions.ts";
import { target } from "./target.ts";
import { eventually } from "./waiting.ts";

/** For cases that follow the log themselves, or tell what follows from it: the fleet's own follower is kept away meanwhile. */

/** A lease longer than any worker's, by which a case's is known; nobody has to give it back. */
const heldMs = 180_000;
const workersLeaseMs = 60_000;

/** Has the log for this process for three minutes from now on, to be followed for all that the fleet follows it for. */
export async function holdLog(): Promise<void> {
  process.env.SKEIN_PUSH_BOUNCER_URL = target().bouncerUrl;
  process.env.MAIL_FROM ??= "skein@globe.test";
  await eventually(async () => {
    const before = await findPushPosition();
    if (!before) await beginFollowing();
    if (!before) return false;
    const left = before.leasedUntil - Date.now();
    if (left > 0 && left <= workersLeaseMs) return false;
    return moved(() => movePushPosition(before, { ...before, leasedUntil: Date.now() + heldMs }));
  }, 90);
}

/** Leaves the log to the fleet's follower, which takes it up where this process has left it. */
export async function releaseLog(): Promise<void> {
  const held = await findPushPosition();
  if (held && held.leasedUntil - Date.now() > workersLeaseMs)
    await moved(() => movePushPosition(held, { ...held, leasedUntil: 0 }));
}

/**
 * Does `work` as if the time had passed for which somebody has the log: a case's lease, or that of a worker that died.
 * It is later for this process alone; to the fleet's follower the log is not free before.
 */
export async function afterLease<T>(work: () => Promise<T>): Promise<T> {
  const { leasedUntil = 0 } = (await findPushPosition()) ?? {};
  const ahead = Math.max(0, leasedUntil - Date.now()) + 1000;
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + ahead);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/** Whether a move of the position came through; another's came first otherwise. */
async function moved(move: () => Promise<void>): Promise<boolean> {
  try {
    await move();
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}
