import { InvocationValue } from "../../base/invocation.ts";

/**
 * How current a read of the table is: strongly consistent, unless the entity declares another consistency for its items. A query
 * of an index is always `corrected`, which makes it current for items whose changes have log entries; for others it lags.
 */
type Consistency = "strong" | "corrected" | "lagging";

export interface ReadOptions {
  consistency?: Consistency;
}

/**
 * Half the read units of a strong read, for entities that requests read in large numbers. The log's end names what was written
 * recently, and only that is read again, strongly consistent. Every change of such an entity must have a log entry.
 */
export const corrected = { consistency: "corrected" } as const;

/** Half the read units too, and usually up to a second behind: for what may be a minute old in any case. */
export const lagging = { consistency: "lagging" } as const;

const consistentScope = new InvocationValue<true>("consistent reads");

/**
 * Makes every read of the table within `work` strongly consistent, whatever its entity declares: for what must see writes of
 * other processes since the invocation began. Queries of indexes stay `corrected`.
 */
export const withConsistentReads = <T>(work: () => Promise<T>): Promise<T> => consistentScope.run(true, work);

/** The consistency of a read in the running invocation. */
export const consistencyOf = ({ consistency = "strong" }: ReadOptions): Consistency =>
  consistentScope.get() ? "strong" : consistency;
