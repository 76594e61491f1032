const realDate = Date;
let aheadMs = 0;

/** The time of a process whose clock the bench moves. */
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
 * Moves this process's clock forward, without waiting. Items count as recently written for 30 s, and then cost more to read:
 * a call is counted as in an organization where nothing else happened lately, whatever the bench has called before.
 */
export function moveClock(seconds: number): void {
  globalThis.Date = MovedDate as DateConstructor;
  aheadMs += seconds * 1000;
}
