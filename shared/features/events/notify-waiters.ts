import { wakeUpQueuesUrl } from "../../base/environment.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { findChannels } from "../../store/channels/channels.ts";
import { listWakeUpQueueRecords, type WakeUpQueueRecord } from "../../store/delivery/wake-up-queues.ts";
import type { LogEntry, LoggedEvent } from "../../store/log/entry.ts";
import { findMessages } from "../../store/messages/messages.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { prefetch } from "../../store/table/shared-reads.ts";
import { hasEvent } from "./audience.ts";
import { mayConcern, mayRevealUsers } from "./client-events.ts";
import type { ConnectedQueue, KnownQueue, Progress } from "./connections/connections.ts";
import { entriesBetween } from "./position.ts";

/** Posts new events to the connections of their queues, and wakes the clients that wait at their wake-up queues. */

/** How many clients one invocation wakes itself, in about a second. Jobs wake the others, in parallel invocations. */
export const maxWokenDirectly = 250;

/** To how many connections one invocation posts itself. */
export const maxPostedDirectly = 100;

/** Excludes presence, which clients ask for every few minutes anyway. */
const isUrgent = ({ event }: LoggedEvent) => event.type !== "presence";

/**
 * Notifies every client that one of the entries may concern; may wake clients needlessly. Throws if it can neither post to a
 * connection nor have it done by a job: it is then called twice more, and posts again only where it must.
 */
export async function notifyWaiters(entries: readonly LogEntry[]): Promise<void> {
  const urgent = entries.filter(hasEvent).filter(isUrgent);
  if (urgent.length === 0) return;
  // Whoever has posted for the last entries probably shows these, too: they are read at the same time as the list.
  const hasPrefetched = (lastRun.get("targets") ?? 0) > 0;
  if (hasPrefetched) prefetchShown(urgent);
  const records = await listWakeUpQueueRecords();
  const connected = records.flatMap(({ connectionId, ...record }) =>
    connectionId ? [{ ...record, connectionId }] : [],
  );
  await Promise.all([
    connected.length > 0 ? postToConcerned(connected, entries, hasPrefetched) : lastRun.delete("targets"),
    wakeUpQueuesUrl() === undefined
      ? undefined
      : wakeConcerned(
          records.filter(({ connectionId }) => connectionId === undefined),
          urgent,
        ),
  ]);
}

async function wakeConcerned(records: readonly WakeUpQueueRecord[], urgent: readonly LoggedEvent[]): Promise<void> {
  const queueIds = records
    .filter((record) => urgent.some((entry) => mayBeFor(record, entry)))
    .map(({ queueId }) => queueId);
  if (queueIds.length === 0) return;
  const { wake, wakeByJobs } = await import("../../services/jobs/wake-up-queues.ts");
  await Promise.all([wakeByJobs(queueIds.slice(maxWokenDirectly)), wake(queueIds.slice(0, maxWokenDirectly))]);
}

/** By the connection's ID. Without it, the latest acknowledgement of the client is the start. */
const progress = new ProcessCache<string, Omit<Progress, "known">>({ minRetained: 20_000 });
/** Of how many connections a process keeps what it has read: fewer than of the others, because that is large. */
export const maxKnownQueues = 1000;
const knownQueues = new ProcessCache<string, KnownQueue>({ minRetained: maxKnownQueues });

/** Who is further behind does not read all entries in between: the queue may say that the client has them. */
const maxEntriesBehind = 100;

function remember(connectionId: string, { known, ...rest }: Progress): void {
  progress.set(connectionId, rest);
  if (known) knownQueues.set(connectionId, known);
  else knownQueues.delete(connectionId);
}

/** Up to which sequence number this process has evaluated every entry, and how many connections the latest ones concerned. */
const lastRun = new ProcessCache<"evaluated" | "targets", number>({ minRetained: 2 });

type ConnectedRecord = WakeUpQueueRecord & { connectionId: string };

async function postToConcerned(
  records: readonly ConnectedRecord[],
  batch: readonly LogEntry[],
  hasPrefetched: boolean,
): Promise<void> {
  const { after, entries, upTo } = await entriesUpTo(batch);
  const logged = entries.filter(hasEvent);
  const targets: ConnectedQueue[] = [];
  /** Those that this run posts itself. */
  const postedHere = new Set<LoggedEvent>();
  for (const record of records) {
    const { queueId, userId, connectionId } = record;
    const before = progress.get(connectionId);
    if (before && before.evaluated >= upTo) continue;
    const known = before && upTo - before.evaluated <= maxEntriesBehind ? knownQueues.get(connectionId) : undefined;
    const concerning = logged.filter((entry) => mayBeFor(record, entry));
    if (concerning.some(isUrgent)) {
      targets.push({ queueId, userId, connectionId, ...before, known });
      if (targets.length <= maxPostedDirectly) for (const entry of concerning) postedHere.add(entry);
    } else if (concerning.length === 0 && before && before.evaluated >= after) {
      const mayChange = logged.some((entry) => mayChangeKnown(userId, entry));
      remember(connectionId, { ...before, evaluated: upTo, known: mayChange ? undefined : known });
    }
  }
  lastRun.set("targets", targets.length);
  if (targets.length === 0) return;
  // What was read at the same time as the list may be older than an entry that the batch lacks.
  if (!hasPrefetched || entries.length > batch.length) prefetchShown([...postedHere]);
  const [{ postEvents }, { postByJobs }] = await Promise.all([
    import("./connections/connections.ts"),
    import("./connections/post-jobs.ts"),
  ]);
  const [direct, delegated] = [targets.slice(0, maxPostedDirectly), targets.slice(maxPostedDirectly)];
  const failed: ConnectedQueue[] = [];
  const [queued] = await Promise.allSettled([
    postByJobs(delegated, upTo),
    ...direct.map(async (target) => {
      const reached = await postEvents(target, upTo);
      if (reached === "failed") failed.push(target);
      if (typeof reached === "object") remember(target.connectionId, reached);
      else progress.delete(target.connectionId);
    }),
  ]);
  if (queued.status === "rejected") throw queued.reason;
  await postByJobs(failed, upTo);
  // A job posts even if it finds no events.
  for (const { connectionId } of delegated) remember(connectionId, { posted: upTo, evaluated: upTo });
}

/** Whether an entry may change what is known of a connection: its owner's channels, groups, and settings. */
function mayChangeKnown(userId: number, { event, audience }: LoggedEvent): boolean {
  if (event.type === "user_group") return true;
  if (event.type === "subscription") return event.op !== "update" && event.user_ids.includes(userId);
  const isSetting = event.type === "alert_words" || event.type === "user_settings";
  return isSetting && audience.kind === "users" && audience.userIds.includes(userId);
}

/** Starts to read what shows these entries to anybody. */
function prefetchShown(entries: readonly LoggedEvent[]): void {
  const sent = entries.flatMap(({ event, audience }) => (event.type === "message" ? { event, audience } : []));
  const messageIds = sent.map(({ event }) => event.message_id);
  const channelIds = sent.flatMap(({ audience }) => (audience.kind === "channel" ? audience.channelId : []));
  prefetch(() =>
    withConsistentReads(() => Promise.all([loadRealm(), findMessages(messageIds), findChannels(channelIds)])),
  );
}

/** How far back this process may have evaluated entries so that those in between are worth reading. */
const maxEntriesBetween = 500;

/**
 * The log from what this process has evaluated up to the end of a batch. A batch may lack an entry that is written late, or that
 * another invocation receives; no event may be posted before those that precede it.
 */
async function entriesUpTo(batch: readonly LogEntry[]) {
  const sequences = batch.map(({ sequence }) => sequence);
  const [first, last] = [Math.min(...sequences), Math.max(...sequences)];
  const known = lastRun.get("evaluated") ?? 0;
  const after = known < first && first - known <= maxEntriesBetween ? known : first - 1;
  const entries = await entriesBetween(after, last);
  if (last > known) lastRun.set("evaluated", last);
  return { after, entries, upTo: last };
}

function mayBeFor(record: WakeUpQueueRecord, entry: LoggedEvent): boolean {
  const { audience, event } = entry;
  // Even if the client wants no such events: from then on others concern it, which its record must say.
  if (event.type === "subscription" && event.op === "join" && event.user_ids.includes(record.userId)) return true;
  // Treats every owner as a possible guest, because the record does not hold the role; the cost is a few needless wake-ups.
  if (!mayConcern(record, entry) && !mayRevealUsers(record, entry)) return false;
  if (audience.kind === "users") return audience.userIds.includes(record.userId);
  if (audience.kind !== "channel" || audience.upTo !== undefined) return true;
  return (record.channelIds?.has(audience.channelId) ?? true) || audience.userIds?.includes(record.userId) === true;
}
