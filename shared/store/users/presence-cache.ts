import { ProcessCache } from "../../base/process-cache.ts";
import type { Organization } from "../organization/organization.ts";
import { listPresences, minuteOf, type Presence, readChanges, startOfMinute, updateIdNow } from "./presence.ts";

/**
 * Caches the presences that this process has read. Every client asks once a minute for nearly the same changes, so a process
 * reads each change about once and answers all clients with it. An answer includes every change written before the request,
 * in other processes too, because it follows a strongly consistent read that began after the request. Without it, each ping
 * would read everybody's ping of the last minute: 25 more read units with 1,000 people, which makes a month $227 instead of
 * $194, and 250 with 10,000, which more than doubles it. Up to 100 people all presences are read instead.
 *
 * A change gets its update ID from its writer's clock before it is written, so it may appear after changes with higher IDs.
 * Each read therefore overlaps the one before it, and from time to time one reaches further back (a deep read).
 */

/** How far each read overlaps the previous read: more than a write usually takes, and more than clocks differ. */
export const overlapMs = 250;
/** The interval of deep reads and their overlap: a change that takes longer than this to be written may be missed. */
const deepReadMs = 10_000;
/** When the cache holds more users (about 10 MB), it is emptied and starts from the next request. */
const maxCachedUsers = 50_000;

interface CachedPresence {
  presence: Presence;
  /** For a change that appeared late: the newest update ID that clients may have received before it. */
  missedUpTo?: number;
}

/** The cache of one organization's presences. Each instance in a test stands for a process. */
export class PresenceCache {
  readonly #now: () => number;
  /** Each user's newest presence. */
  readonly #presences = new Map<number, CachedPresence>();
  /** The update ID from which the cache has all changes, as of the last read. */
  #knownFrom = Number.POSITIVE_INFINITY;
  #newest = 0;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #lastDeepReadAt = Number.NEGATIVE_INFINITY;
  #runningRead: Promise<void> | undefined;
  /** The read that starts after the running one and serves all requests since that began. */
  #queuedRead: Promise<void> | undefined;
  /** The earliest update ID from which requests wait for the queued read. */
  #queuedReadFrom = Number.POSITIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Presences that changed after a recent update ID: 1 read unit, and 1 for about 40 changes that this process has not read.
   */
  async since(updateId: number): Promise<Presence[]> {
    // A shared read that failed must not fail this request: it reads once more.
    await this.#refresh(updateId).catch(() => this.#refresh(updateId));
    const isNew = ({ presence, missedUpTo = -1 }: CachedPresence) =>
      presence.updateId > updateId || missedUpTo >= updateId;
    return [...this.#presences.values()].filter(isNew).map(({ presence }) => presence);
  }

  #refresh(updateId: number): Promise<void> {
    this.#queuedReadFrom = Math.min(this.#queuedReadFrom, updateId);
    if (this.#queuedRead) return this.#queuedRead;
    if (!this.#runningRead) return this.#startRead();
    this.#queuedRead = this.#runningRead.catch(() => undefined).then(() => this.#startRead());
    return this.#queuedRead;
  }

  #startRead(): Promise<void> {
    const now = this.#now();
    const read = this.#read(Math.min(this.#queuedReadFrom, now), now).finally(() => {
      this.#runningRead = undefined;
    });
    this.#runningRead = read;
    this.#queuedRead = undefined;
    this.#queuedReadFrom = Number.POSITIVE_INFINITY;
    return read;
  }

  async #read(requestedFrom: number, now: number): Promise<void> {
    const isDeep = now - this.#lastDeepReadAt >= deepReadMs;
    const resumeFrom = Math.min(now, isDeep ? this.#lastDeepReadAt - deepReadMs : this.#lastReadAt - overlapMs);
    // After a pause in requests, it is cheaper to restart from the requested ID than to read everything since the pause.
    const restarts = minuteOf(requestedFrom) - minuteOf(resumeFrom) > 1 || this.#presences.size > maxCachedUsers;
    const isShort = !isDeep && !restarts && requestedFrom >= this.#knownFrom;
    // Starts at a whole minute, because the next request's update ID is often slightly lower.
    const from = restarts || requestedFrom < this.#knownFrom ? startOfMinute(minuteOf(requestedFrom)) : resumeFrom;
    const found = await readChanges(Math.max(0, from), now);
    if (restarts) this.#clear();
    this.#add(found);
    this.#knownFrom = Math.min(this.#knownFrom, from);
    this.#lastReadAt = now;
    if (!isShort) this.#lastDeepReadAt = now;
  }

  #clear() {
    this.#presences.clear();
    this.#knownFrom = Number.POSITIVE_INFINITY;
    this.#newest = 0;
  }

  #add(found: readonly Presence[]) {
    const newest = this.#newest;
    for (const presence of found) {
      const { userId, updateId } = presence;
      if ((this.#presences.get(userId)?.presence.updateId ?? -1) >= updateId) continue;
      const isLate = updateId >= this.#knownFrom && updateId <= newest;
      this.#presences.set(userId, { presence, ...(isLate && { missedUpTo: newest }) });
      this.#newest = Math.max(this.#newest, updateId);
    }
  }
}

/** By organization, so that one that is created again in the same table starts with an empty cache. */
const caches = new ProcessCache<string, PresenceCache>({ minRetained: 2 });

const cacheOf = ({ uuid, createdAt }: Pick<Organization, "uuid" | "createdAt">): PresenceCache =>
  caches.getOrAdd(uuid, () => new PresenceCache(() => updateIdNow({ createdAt })));

/** For an older update ID, all presences are read. */
const maxMinutes = 10;

/**
 * Presences that changed after `updateId`. For an ID older than ten minutes all presences are read, 0.5 read units for about
 * 80. When two users write at the same instant, a client whose requests reach two processes may miss one of the changes until
 * that user's next ping a minute later.
 */
export async function listPresencesSince(
  updateId: number,
  organization: Pick<Organization, "uuid" | "createdAt">,
): Promise<Presence[]> {
  if (minuteOf(updateIdNow(organization)) - minuteOf(updateId) >= maxMinutes)
    return (await listPresences()).filter((presence) => presence.updateId > updateId);
  return cacheOf(organization).since(updateId);
}
