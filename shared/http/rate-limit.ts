import { rateLimitHit } from "../errors.ts";
import { rateLimits } from "../limits.ts";
import { networkOf } from "../network.ts";
import { describeError } from "../observability/describe-error.ts";
import { addRequests, secondsLeft } from "../store/users/request-counts.ts";
import type { HttpEvent, RateState } from "./event.ts";

/**
 * How many requests an account, or an address without credentials, may make in a window of time. Each process counts for
 * itself and adds to a counter in the table once in a tenth of the limit, so that one who makes few costs nothing, and
 * one who makes many is counted over all processes: 1 write unit for 20 requests.
 */

/** What is counted apart: waiting for events, and files, of which a client shows many at once, take nothing from the rest. */
export type RateBucket = "requests" | "events" | "files";

interface Count {
  window: number;
  /** What all processes had counted when this one last added to it. */
  known: number;
  /** What this one has counted since. */
  pending: number;
}

const maxCounts = 10_000;
const counts = new Map<string, Count>();

/** Files beside one request: a page of messages with their pictures. */
const filesFactor = 5;

/** Counts a request of an account; RATE_LIMIT_HIT when there were too many. */
export async function limitAccount(event: HttpEvent, id: number, bucket: RateBucket): Promise<void> {
  const limits = rateLimits();
  if (!limits) return;
  const limit = limits.calls * (bucket === "files" ? filesFactor : 1);
  await limitRate(event, { name: `${bucket} ${id}`, seconds: limits.seconds }, limit);
}

/** Counts a request without credentials that hold; an address has half of what an account has. */
export async function limitAddress(event: HttpEvent): Promise<void> {
  const limits = rateLimits();
  if (!limits) return;
  const name = `address ${networkOf(event.requestContext.http.sourceIp)}`;
  await limitRate(event, { name, seconds: limits.seconds }, Math.ceil(limits.calls / 2));
}

async function limitRate(event: HttpEvent, window: { name: string; seconds: number }, limit: number): Promise<void> {
  const now = Date.now() / 1000;
  const count = countOf(window, now);
  const isOver = () => count.known + count.pending > limit;
  if (!isOver()) {
    count.pending++;
    if (count.pending >= Math.max(1, Math.floor(limit / 10))) await share(window, now, count);
  }
  const left = secondsLeft(window, now);
  event.rate = {
    limit,
    remaining: Math.max(0, limit - count.known - count.pending),
    reset: Math.ceil(now + left),
  };
  if (isOver()) throw rateLimitHit(left);
}

function countOf({ name, seconds }: { name: string; seconds: number }, now: number): Count {
  const window = Math.floor(now / seconds);
  const found = counts.get(name);
  const count = found?.window === window ? found : { window, known: 0, pending: 0 };
  // Again at the end: the first one is then the one that has been quiet for longest.
  counts.delete(name);
  counts.set(name, count);
  const [oldest] = counts.keys();
  if (counts.size > maxCounts && oldest !== undefined) counts.delete(oldest);
  return count;
}

/** Adds to the counter of all processes. Where that fails, or there is no table to do it in, this process goes by its own. */
async function share(window: { name: string; seconds: number }, now: number, count: Count): Promise<void> {
  const by = count.pending;
  count.known += by;
  count.pending = 0;
  if (!process.env.TABLE_NAME) return;
  try {
    count.known = Math.max(count.known, await addRequests(window, now, by));
  } catch (error) {
    console.error(JSON.stringify({ rateLimit: "not shared", error: describeError(error) }));
  }
}

/** The headers that tell a client how much is left of its limit. */
export const rateHeaders = ({ limit, remaining, reset }: RateState): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset),
});
