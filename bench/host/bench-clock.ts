const realDate = Date;
let aheadMs = 0;

/** Date with the clock that the bench has moved. */
class MovedDate extends realDate {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(MovedDate.now());
    else super(...(args as [number]));
  }

  static override now(): number {
    return realDate.now() + aheadMs;
  }
}

/**
 * Moves this process's clock forward without waiting. Reading an item costs more within 30 s of its last write, so the
 * clock is moved between calls: each call is then counted as in a quiet organization, whatever the bench has called before.
 */
export function moveClock(seconds: number): void {
  globalThis.Date = MovedDate as DateConstructor;
  aheadMs += seconds * 1000;
}
