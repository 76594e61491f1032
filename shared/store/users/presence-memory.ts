import { ProcessCache } from "../../process-cache.ts";
import type { Organization } from "../organization/organization.ts";
import { listPresences, minuteOf, type Presence, readChanges, startOf, updateIdNow } from "./presence.ts";

/**
 * The presences that this process has read. Everybody's client asks once a minute for nearly the same changes: a process
 * reads each of them about once and answers all of them. Whoever asks is told what had been written by then, in other
 * processes too, since each answer rests on a strong read that began after it was asked for.
 *
 * A change is numbered before it is written, by its writer's clock, so that it may appear behind changes that were read
 * already. Each look therefore reads somewhat back, and now and then further.
 */

/** What each look reads again: longer than a writer usually takes, and further than clocks are apart. */
export const overlapMs = 250;
/** How long a change may take to be written and still be found: so far back a look reads, so long after the last that did. */
export const lookBackMs = 10_000;
/** People; beyond them the memory begins anew, with what is asked for. Some 10 MB. */
const maxKept = 50_000;

interface Known {
  presence: Presence;
  /** The newest change that had been told of when this one was found behind it. */
  behind?: number;
}

/** One organization's. Tests have several: each is as a process of its own. */
export class PresenceMemory {
  readonly #now: () => number;
  /** Each person's newest. */
  readonly #known = new Map<number, Known>();
  /** What has changed from this update ID on is known, as of the last look. */
  #from = Number.POSITIVE_INFINITY;
  #newest = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The last look that read back as far as a change may still appear. */
  #lookedBackAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  /** The look that begins when the running one is over, for all who came since that began. */
  #next: Promise<void> | undefined;
  /** The earliest update ID that those who wait for the next look ask from. */
  #wanted = Number.POSITIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Those that changed after an update ID of the last minutes: 1 read unit, and 1 for about 40 that are new here. */
  async since(updateId: number): Promise<Presence[]> {
    // Another's failure is not ours: then the look is made again.
    await this.#look(updateId).catch(() => this.#look(updateId));
    const isNews = ({ presence, behind = -1 }: Known) => presence.updateId > updateId || behind >= updateId;
    return [...this.#known.values()].filter(isNews).map(({ presence }) => presence);
  }

  #look(updateId: number): Promise<void> {
    this.#wanted = Math.min(this.#wanted, updateId);
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    this.#next = this.#running.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    const now = this.#now();
    const running = this.#read(Math.min(this.#wanted, now), now).finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    this.#next = undefined;
    this.#wanted = Number.POSITIVE_INFINITY;
    return running;
  }

  async #read(wanted: number, now: number): Promise<void> {
    const looksBack = now - this.#lookedBackAt >= lookBackMs;
    const place = Math.min(now, looksBack ? this.#lookedBackAt - lookBackMs : this.#lookedAt - overlapMs);
    // Where nobody has asked for a while it is cheaper to read what is asked for than all that came in between.
    const anew = minuteOf(wanted) - minuteOf(place) > 1 || this.#known.size > maxKept;
    const isShort = !looksBack && !anew && wanted >= this.#from;
    // Whole minutes: the next who asks has mostly been told of as much, and somewhat less.
    const from = anew || wanted < this.#from ? startOf(minuteOf(wanted)) : place;
    const found = await readChanges(Math.max(0, from), now);
    if (anew) this.#forget();
    this.#add(found);
    this.#from = Math.min(this.#from, from);
    this.#lookedAt = now;
    if (!isShort) this.#lookedBackAt = now;
  }

  #forget() {
    this.#known.clear();
    this.#from = Number.POSITIVE_INFINITY;
    this.#newest = 0;
  }

  #add(found: readonly Presence[]) {
    const newest = this.#newest;
    for (const presence of found) {
      const { userId, updateId } = presence;
      if ((this.#known.get(userId)?.presence.updateId ?? -1) >= updateId) continue;
      const isBehind = updateId >= this.#from && updateId <= newest;
      this.#known.set(userId, { presence, ...(isBehind && { behind: newest }) });
      this.#newest = Math.max(this.#newest, updateId);
    }
  }
}

/** By organization: one that is created anew in the same table begins from nothing. */
const memories = new ProcessCache<string, PresenceMemory>({ max: 2 });

const memoryOf = ({ uuid, createdAt }: Pick<Organization, "uuid" | "createdAt">): PresenceMemory =>
  memories.getOrAdd(uuid, () => new PresenceMemory(() => updateIdNow({ createdAt })));

/** From further back, everybody is read. */
const maxMinutes = 10;

/**
 * Those that changed after `updateId` was given, up to ten minutes ago; from further back, of everybody, 0.5 read units for
 * about 80. Two people who write in the same instant may be seen in the other order by a client that two processes
 * answer: then the one is missed until their next ping, a minute later.
 */
export async function listPresencesSince(
  updateId: number,
  organization: Pick<Organization, "uuid" | "createdAt">,
): Promise<Presence[]> {
  if (minuteOf(updateIdNow(organization)) - minuteOf(updateId) >= maxMinutes)
    return (await listPresences()).filter((one) => one.updateId > updateId);
  return memoryOf(organization).since(updateId);
}
