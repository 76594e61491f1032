/** How long a change of the log may take. Every other window of the log follows from this. */

/**
 * A change is committed within this time of the timestamp of its sequence numbers, which its entries carry, or never: its requests
 * are aborted at the end.
 */
export const maxCommitMs = 20_000;

/**
 * A call that reserves numbers, or writes a tombstone, is aborted after this time. Timestamps of later numbers are earlier by so
 * much at most.
 */
export const maxCallMs = 5_000;

/**
 * How long after its timestamp an entry, or a number without one, counts as recent: `maxCommitMs` until it is committed, and 10 s
 * for the indexes to catch up, for timestamps that are not quite in order, and for what DynamoDB executes of an aborted request.
 */
export const recentSeconds = maxCommitMs / 1000 + 10;

/**
 * UNIX time in seconds. Whatever got its number before is committed or never will be, and consistent in all reads; so is whatever
 * has an earlier number than an entry with such a timestamp.
 */
export const recentSince = (): number => Date.now() / 1000 - recentSeconds;
