const realDate = Date;
let aheadMs = 0;

/** A `Date` whose current time is the advanced clock's. */
class ShiftedDate extends realDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(ShiftedDate.now());
    else super(...(args as [number]));
  }

  static override now(): number {
    return realDate.now() + aheadMs;
  }
}

/**
 * Advances this process's clock without waiting. Reading an item costs more within 30 s of its last write, so the
 * benchmarks advance the clock between calls: the cost of a call then does not depend on the calls before it.
 */
export function advanceClock(seconds: number): void {
  globalThis.Date = ShiftedDate as DateConstructor;
  aheadMs += seconds * 1000;
}
