import { hash } from "node:crypto";
import QuickLRU from "quick-lru";
import { networkOf } from "../../../shared/base/network.ts";
import type { HttpEvent } from "../../../shared/services/http/event.ts";
import { Turns } from "./turns.ts";

/**
 * Gives each caller a lane of their own, in which few of their requests run at a time, so that a burst of one holds up nobody else:
 * on one machine all requests share a process. On AWS each has a process of its own.
 */

/** Requests of one caller that run at a time. More would be no faster, since one processor runs them all. */
const maxRunning = 3;
/** Long polls of one caller that begin at a time, and how long one counts as beginning. */
const maxBeginning = 3;
const beginningMs = 50;
/** Large bodies of one caller that are in memory at a time. */
const maxBodies = 6;
/** Requests of one caller at once, most of which wait; a page with many pictures asks for a few hundred. */
const maxRequests = 1000;
/** Replies to one caller that are in memory because its clients do not read them. */
const maxUntakenBytes = 64 * 1024 * 1024;

export class Lane {
  readonly requests = new Turns(maxRunning);
  readonly longPolls = new Turns(maxBeginning);
  readonly bodies = new Turns(maxBodies);
  /** The requests that are in the lane, whatever they do. */
  count = 0;
  /** Of long replies that have not been taken: the bytes of all. */
  untakenBytes = 0;

  /** Whether no more replies should be made, because of those that wait. */
  isFull(): boolean {
    return this.untakenBytes > maxUntakenBytes;
  }
}

type Identified = Pick<HttpEvent, "headers" | "requestContext">;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** The accounts of credentials that were valid lately, by a hash of these. */
  readonly #accounts = new QuickLRU<string, number>({ maxSize: 5000 });

  /** Runs `work` in the lane of whoever makes a request; undefined, without running it, if there are too many in it. */
  async run<T>(request: Identified, work: (lane: Lane) => Promise<T>): Promise<T | undefined> {
    const name = this.#nameOf(request);
    const lane = this.#lanes.get(name) ?? new Lane();
    if (lane.count >= maxRequests) return undefined;
    this.#lanes.set(name, lane);
    lane.count++;
    try {
      return await work(lane);
    } finally {
      if (--lane.count === 0) this.#lanes.delete(name);
    }
  }

  /** Gives the lane of an account to whoever has these credentials, which were valid. */
  remember(request: Identified, userId: number): void {
    const credentials = credentialsIn(request);
    if (credentials !== undefined) this.#accounts.set(credentials, userId);
  }

  /** All requests from a network without known credentials share a lane: nobody gets another one by making up some. */
  #nameOf(request: Identified): string {
    const credentials = credentialsIn(request);
    const userId = credentials === undefined ? undefined : this.#accounts.get(credentials);
    return userId === undefined ? networkOf(request.requestContext.http.sourceIp) : `account ${userId}`;
  }
}

function credentialsIn({ headers }: Identified): string | undefined {
  const text = headers?.authorization ?? headers?.cookie;
  return text === undefined ? undefined : hash("sha256", text, "base64");
}

/** Runs the work of a request in its lane; a long poll has its turn until it waits. */
export const inTurn = <T>(lane: Lane, isLongPoll: boolean, work: () => Promise<T>): Promise<T> =>
  isLongPoll ? lane.longPolls.run(work, beginningMs) : lane.requests.run(work);
