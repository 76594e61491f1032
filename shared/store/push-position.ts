import { getItem } from "./table.ts";
import { ConditionFailed, transact } from "./transactions.ts";
import { create, put } from "./writes.ts";

/** How far the log has been looked through for notifications. */
export interface PushPosition {
  /** Place up to which jobs have been made of what there is. */
  place: number;
  /** UNIX milliseconds until which one worker has the log for itself; 0: nobody has. */
  leasedUntil: number;
  /** UNIX milliseconds of the last step. */
  movedAt: number;
}

const key = { pk: "PUSH", sk: "POSITION" };

/** Strongly consistent: 1 read unit. */
export const findPushPosition = () => getItem<PushPosition>(key, { consistent: true });

/** Begins at a place, unless there is a position already. */
export async function beginAt(place: number): Promise<void> {
  try {
    await transact([create({ ...key, place, leasedUntil: 0, movedAt: Date.now() })]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Throws ConditionFailed when another worker has moved the position since `before` was read. */
export const movePushPosition = (
  before: Pick<PushPosition, "place" | "leasedUntil">,
  after: Pick<PushPosition, "place" | "leasedUntil">,
): Promise<void> =>
  transact([
    put(
      { ...key, ...after, movedAt: Date.now() },
      { equals: { place: before.place, leasedUntil: before.leasedUntil } },
    ),
  ]);
