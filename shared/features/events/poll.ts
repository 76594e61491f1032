import { setTimeout as pause } from "node:timers/promises";
import { accountDeactivated } from "../../base/errors.ts";
import { membershipsAfter } from "../../core/user-groups/memberships.ts";
import { jsonBytes, leadingItems } from "../../services/http/reply-size.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm } from "../../services/organization/access.ts";
import type { EventQueue } from "../../store/delivery/event-queues.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { LogReader } from "../../store/log/reader.ts";
import { findUsers } from "../../store/users/users.ts";
import { followSubscriptions, hasEvent, isAddressed } from "./audience.ts";
import { type NumberedEvent, showEvents } from "./client-events.ts";
import { findPollCache, type PollCache, prepareForMessages, savePollCache } from "./fresh-messages.ts";
import { heartbeatId } from "./ids.ts";
import { catchUp, entriesPerRead, type Position, touchIfDue } from "./position.ts";
import type { AddressedEvent } from "./readers.ts";
import { sharedRead } from "./shared-reads.ts";
import { followTypingSetting } from "./typing-filter.ts";
import { PollWait, type WaitingStrategy } from "./waiting.ts";

/**
 * Returns a queue's next events as soon as there are any. When the strategy's wait ends without one, returns a heartbeat, or
 * undefined if the strategy wants none. `lastEventId` says what the client has seen, so a lost reply is repeated by the next
 * poll, and a poll writes nothing.
 */
export async function poll(
  caller: Caller,
  queue: EventQueue,
  lastEventId: number | undefined,
  strategy: WaitingStrategy,
): Promise<NumberedEvent[] | undefined> {
  const wait = new PollWait(queue.id, strategy);
  try {
    const position = await catchUp(queue, lastEventId);
    const cache = findPollCache(queue.id, position.sequence);
    const source = new EventSource(caller, queue, position, cache, strategy);
    for (let readCount = 0; !wait.ended; readCount++) {
      await touchIfDue(queue, position);
      const events = await source.next();
      const unseen = events?.filter(({ id }) => id > (lastEventId ?? -1)) ?? [];
      if (unseen.length > 0) return fittingEvents(unseen);
      if (events) continue;
      if (!wait.isOver(source.reader)) {
        await source.prepare();
        await wait.pause(source.reader, readCount);
        continue;
      }
      if (!strategy.heartbeat) return undefined;
      const id = heartbeatId(queue, source.reader.sequence, lastEventId ?? -1);
      if (id !== undefined) return [{ type: "heartbeat", id }];
      // The heartbeat IDs of the last entry can be used up, a bot's after about an hour without changes: a no-op entry provides new ones.
      await commit({});
    }
    return [];
  } finally {
    wait.close();
  }
}

/** The pause before the log is read again, when an entry is missing before existing ones. */
const gapPauseMs = 25;

/**
 * The events after a position, up to a sequence number or to the log's end, and the position after them, with the caller as of
 * there; saves nothing. Stops early, with `isCut`, when the events would take more than `maxBytes` as JSON.
 */
export async function eventsAfter(
  caller: Caller,
  queue: EventQueue,
  position: Position,
  {
    upTo = Number.POSITIVE_INFINITY,
    maxBytes,
    cache,
  }: { upTo?: number | undefined; maxBytes: number; cache: PollCache },
): Promise<{ events: NumberedEvent[]; isCut: boolean; position: Position; caller: Caller }> {
  const source = new EventSource(caller, queue, position, cache, { toEnd: upTo === Number.POSITIVE_INFINITY });
  const events: NumberedEvent[] = [];
  let bytes = 0;
  while (source.reader.sequence < upTo && bytes <= maxBytes) {
    const next = await source.next(Math.min(entriesPerRead, upTo - source.reader.sequence));
    if (next) {
      events.push(...next);
      bytes += next.reduce((sum, event) => sum + jsonBytes(event) + 1, 0);
      // Entries up to `upTo` exist, even if an eventually consistent read does not return them yet.
    } else if (source.reader.isBlocked || upTo !== Number.POSITIVE_INFINITY) await pause(gapPauseMs);
    else break;
  }
  return { events, isCut: bytes > maxBytes, position: source.position, caller: source.caller };
}

/** Reads the log from a client's position and converts entries to the events that the client may see. */
class EventSource {
  readonly reader: LogReader;
  readonly #queue: EventQueue;
  readonly #channelIds: Set<number>;
  readonly #cache: PollCache;
  #caller: Caller;

  constructor(
    caller: Caller,
    queue: EventQueue,
    { sequence, channelIds }: Position,
    cache: PollCache,
    { toEnd }: Pick<WaitingStrategy, "toEnd">,
  ) {
    this.reader = new LogReader(sequence, { toEnd });
    this.#caller = caller;
    this.#queue = queue;
    this.#channelIds = new Set(channelIds);
    this.#cache = cache;
  }

  /** The caller with the groups as of the position. */
  get caller(): Caller {
    return this.#caller;
  }

  get position(): Position {
    return { sequence: this.reader.sequence, channelIds: this.#channelIds };
  }

  /** The events of the next entries; undefined when there are no more entries yet. */
  async next(limit = entriesPerRead): Promise<NumberedEvent[] | undefined> {
    const entries = await this.reader.next(limit);
    if (entries.some((entry) => isDeactivationOf(this.#caller.id, entry))) await checkStillActive(this.#caller);
    // A user who joins a group during the poll has the group's permissions from then on.
    this.#caller = { ...this.#caller, ...groupsAfter(this.#caller, entries) };
    const events = await showEvents(this.#caller, this.#queue, this.#addressed(entries), this.#cache);
    savePollCache(this.#queue.id, this.reader.sequence, this.#cache);
    return entries.length > 0 ? events : undefined;
  }

  /** Prefetches what rendering a message will need. */
  async prepare(): Promise<void> {
    if (!receivesMessages(this.#queue) || this.#cache.alertWords) return;
    prepareForMessages(this.#cache, this.#caller, await sharedRead("realm", 500, loadRealm));
  }

  /** The entries with an event, each with whether the client was in its audience at that point of the log. */
  #addressed(entries: readonly LogEntry[]): AddressedEvent[] {
    const addressed: AddressedEvent[] = [];
    for (const entry of entries) {
      if (entry.event?.type === "alert_words") this.#cache.alertWords = undefined;
      if (hasEvent(entry)) {
        const isInAudience = isAddressed(entry, this.#caller, this.#channelIds);
        if (isInAudience) followTypingSetting(this.#cache, entry);
        addressed.push({ ...entry, addressed: isInAudience });
      }
      followSubscriptions(this.#channelIds, entry, this.#caller.id);
    }
    return addressed;
  }
}

/** Ends the poll of an account that was deactivated during the poll, unless it has been reactivated since. 1 read unit. */
async function checkStillActive({ id }: Caller): Promise<void> {
  const [user] = await findUsers([id]);
  if (!user?.active) throw accountDeactivated();
}

function isDeactivationOf(userId: number, { event }: LogEntry): boolean {
  const person = event?.type === "realm_user" ? (event.person as { user_id?: number; is_active?: boolean }) : undefined;
  return person?.user_id === userId && person.is_active === false;
}

const receivesMessages = ({ eventTypes }: EventQueue) => eventTypes?.includes("message") ?? true;

function groupsAfter({ id, groupIds }: Caller, entries: readonly LogEntry[]): Pick<Caller, "groupIds"> {
  const memberships = membershipsAfter(entries.length, entries, id, { groupIds, subgroups: {} });
  return { groupIds: memberships.groupIds };
}

/** The leading events that fit into a reply; the next poll returns the others. */
function fittingEvents(events: readonly NumberedEvent[]): NumberedEvent[] {
  const leading = leadingItems(events);
  return leading.length > 0 ? leading : events.slice(0, 1);
}
