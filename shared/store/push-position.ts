import { getItem } from "./table.ts";
import { transact } from "./transactions.ts";
import { put, type Write } from "./writes.ts";

/** How far the log has been looked through for push notifications. */
export interface PushPosition {
  /** Place up to which jobs have been made of what there is. */
  place: number;
  /** UNIX milliseconds until which one worker has the log for itself; 0: nobody has. */
  leasedUntil: number;
}

const key = { pk: "PUSH", sk: "POSITION" };

/** Strongly consistent: 1 read unit. */
export const findPushPosition = () => getItem<PushPosition>(key, { consistent: true });

/** Belongs into the transaction of the organization's first device. */
export const beginAt = (place: number): Write => put({ ...key, place, leasedUntil: 0 });

/** Throws ConditionFailed when another worker has moved the position since `before` was read. */
export const movePushPosition = (before: PushPosition, after: PushPosition): Promise<void> =>
  transact([put({ ...key, ...after }, { equals: { place: before.place, leasedUntil: before.leasedUntil } })]);
