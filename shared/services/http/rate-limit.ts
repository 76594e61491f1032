import { rateLimits, usesTable } from "../../base/environment.ts";
import { rateLimitHit } from "../../base/errors.ts";
import { networkOf } from "../../base/network.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { addRequests, secondsLeft } from "../../store/users/request-counts.ts";
import type { HttpEvent, RateState } from "./event.ts";

/**
 * Limits the requests of an account, or of a network address without valid credentials, in a fixed time window. Each process
 * counts in memory and adds to a shared counter in the table after each tenth of the limit: few requests cost nothing, and
 * many are counted across processes for 1 write unit per 20 requests.
 */

/** Separate limits, so that long polls and files, of which a client loads many at once, do not use up the limit of requests. */
export type RateBucket = "requests" | "events" | "files";

/** An event is counted once, also if its caller is authenticated before its body is read, and again after. */
type LimitedEvent = Pick<HttpEvent, "rate" | "isCounted">;

interface Count {
  /** The number of the time window: UNIX seconds divided by its length. */
  windowIndex: number;
  /** The shared counter when this process last added to it. */
  shared: number;
  /** The requests that this process has counted since then. */
  pending: number;
}

const counts = new ProcessCache<string, Count>({ minRetained: 5000 });

/** How many times as many files as requests a client may load, such as the pictures in a page of messages. */
const filesFactor = 5;

/** Counts a request of an account; throws RATE_LIMIT_HIT when there were too many. */
export async function limitAccount(event: LimitedEvent, id: number, bucket: RateBucket): Promise<void> {
  const limits = rateLimits();
  if (!limits) return;
  const limit = limits.calls * (bucket === "files" ? filesFactor : 1);
  await limitRate(event, { name: `${bucket} ${id}`, seconds: limits.seconds }, limit);
}

/** How many times as many requests as an account the SCIM client may make, which acts for everybody. */
const scimClientFactor = 10;

/** Counts a request of the SCIM client. */
export async function limitScimClient(event: LimitedEvent): Promise<void> {
  const limits = rateLimits();
  if (!limits) return;
  await limitRate(event, { name: "SCIM client", seconds: limits.seconds }, limits.calls * scimClientFactor);
}

/** Counts a request without valid credentials. An address has half the limit of an account. */
export const limitAddress = (event: HttpEvent): Promise<void> => limitSource(event, event.requestContext.http.sourceIp);

/** Counts an attempt from a network address to open a connection without a valid ticket. */
export async function limitSource(event: LimitedEvent, sourceIp: string): Promise<void> {
  const limits = rateLimits();
  if (!limits) return;
  const name = `address ${networkOf(sourceIp)}`;
  await limitRate(event, { name, seconds: limits.seconds }, Math.ceil(limits.calls / 2));
}

async function limitRate(event: LimitedEvent, window: { name: string; seconds: number }, limit: number): Promise<void> {
  if (event.isCounted) return;
  const now = Date.now() / 1000;
  const count = getCount(window, now);
  const isOver = () => count.shared + count.pending > limit;
  if (!isOver()) {
    count.pending++;
    if (count.pending >= Math.max(1, Math.floor(limit / 10))) await addToSharedCount(window, now, count);
  }
  const remainingSeconds = secondsLeft(window, now);
  event.rate = {
    limit,
    remaining: Math.max(0, limit - count.shared - count.pending),
    reset: Math.ceil(now + remainingSeconds),
  };
  if (isOver()) throw rateLimitHit(remainingSeconds);
  event.isCounted = true;
}

function getCount({ name, seconds }: { name: string; seconds: number }, now: number): Count {
  const windowIndex = Math.floor(now / seconds);
  const found = counts.get(name);
  if (found?.windowIndex === windowIndex) return found;
  const count = { windowIndex, shared: 0, pending: 0 };
  counts.set(name, count);
  return count;
}

/** Adds to the shared counter. If that fails, or the function does not use the table, the process relies on its own count. */
async function addToSharedCount(window: { name: string; seconds: number }, now: number, count: Count): Promise<void> {
  const requestCount = count.pending;
  count.shared += requestCount;
  count.pending = 0;
  if (!usesTable()) return;
  try {
    count.shared = Math.max(count.shared, await addRequests(window, now, requestCount));
  } catch (error) {
    console.error(JSON.stringify({ rateLimit: "not shared", error: describeError(error) }));
  }
}

export const rateHeaders = ({ limit, remaining, reset }: RateState): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset),
});
