import { setImmediate as nextTurn } from "node:timers/promises";
import { batchesOf } from "../../batches.ts";
import { ProcessCache } from "../../process-cache.ts";
import type { WakeUpQueueRecord } from "../../store/delivery/wake-up-queues.ts";
import type { LogEntry, LoggedEvent } from "../../store/log/entry.ts";
import { cacheEntries } from "../../store/log/entry-cache.ts";
import { hasEvent } from "../audience.ts";
import { concerns, isUrgent } from "../client-events.ts";
import { entriesBetween } from "../position.ts";
import type { ConnectedQueue, Posted } from "./connections.ts";

/**
 * Posts new entries of the log to the connections that they concern. A process posts to the connections that it knows while it
 * reads the records of all: a record that has changed since can only add connections, because each post checks its queue.
 */

/** To how many connections one invocation posts itself. */
export const maxPostedDirectly = 100;

/** The queues and accounts of so many posts are read by one call: the first do not wait until those of all are read. */
const postsPerRead = 12;

interface Connection {
  connectionId: string;
  record: WakeUpQueueRecord;
  /** Absent before this process posts, and after a failure: the client's latest acknowledgement is then the start. */
  last?: Posted;
}

/** The connections that this process found when it last read the records, by ID. */
const connections = new ProcessCache<"all", Map<string, Connection>>({ minRetained: 1 });

/** Posts that this process has begun without reading the records. */
interface BegunPosts {
  news: News;
  targets: Set<Connection>;
  posting: Promise<void>;
}

/** Begins to post to the connections to which this process has posted before. */
export async function postToKnown(batch: readonly LogEntry[]): Promise<BegunPosts | undefined> {
  const known = connections.get("all");
  if (!known?.size) return undefined;
  const news = await newsUpTo(batch);
  const targets = new Set<Connection>();
  for (const connection of known.values()) {
    if (connection.last && news.logged.some((entry) => isUrgent(entry) && concerns(connection.record, entry)))
      targets.add(connection);
    if (targets.size === maxPostedDirectly) break;
  }
  return { news, targets, posting: postDirectly([...targets], news.upTo) };
}

/** Posts to the connections among the records, except those that were posted to before the records were read. */
export async function postToOthers(
  records: readonly WakeUpQueueRecord[],
  batch: readonly LogEntry[],
  begun: BegunPosts | undefined,
): Promise<void> {
  const known = connections.get("all");
  const all = new Map<string, Connection>();
  for (const record of records) {
    const { connectionId } = record;
    if (connectionId === undefined) continue;
    // The object of a connection that is being posted to receives the result.
    const connection = known?.get(connectionId) ?? { connectionId, record };
    all.set(connectionId, Object.assign(connection, { record }));
  }
  connections.set("all", all);
  if (all.size === 0) return;
  const { logged, after, upTo } = begun?.news ?? (await newsUpTo(batch));
  const targets: Connection[] = [];
  for (const connection of all.values()) {
    if (begun?.targets.has(connection)) continue;
    const { record, last } = connection;
    const concerning = logged.filter((entry) => concerns(record, entry));
    if (concerning.some(isUrgent)) targets.push(connection);
    else if (concerning.length === 0 && last && last.evaluated >= after && last.evaluated < upTo)
      connection.last = { ...last, evaluated: upTo };
  }
  if (targets.length === 0) return;
  const direct = targets.splice(0, maxPostedDirectly - (begun?.targets.size ?? 0));
  const delegated = async () => {
    if (targets.length === 0) return;
    await delegate(targets, upTo);
    // A job posts even if it finds no events.
    for (const connection of targets) connection.last = { ...connection.last, posted: upTo, evaluated: upTo };
  };
  await Promise.all([delegated(), postDirectly(direct, upTo)]);
}

async function postDirectly(targets: readonly Connection[], upTo: number): Promise<void> {
  const { postEvents } = await import("./connections.ts");
  const failed: Connection[] = [];
  const post = async (connection: Connection) => {
    const reached = await postEvents(queueOf(connection), upTo, { reader: connection.last?.reader });
    if (reached === "failed") failed.push(connection);
    if (typeof reached === "object") connection.last = reached;
    else delete connection.last;
  };
  const posts: Promise<void>[] = [];
  for (const group of batchesOf(targets, postsPerRead)) {
    posts.push(...group.map(post));
    await nextTurn();
  }
  await Promise.all(posts);
  if (failed.length > 0) await delegate(failed, upTo);
}

/** Has jobs post. */
async function delegate(targets: readonly Connection[], upTo: number): Promise<void> {
  const { postByJobs } = await import("./post-jobs.ts");
  await postByJobs(targets.map(queueOf), upTo);
}

function queueOf({ connectionId, record: { queueId, userId }, last }: Connection): ConnectedQueue {
  return { queueId, userId, connectionId, posted: last?.posted, evaluated: last?.evaluated };
}

/** New entries, and those before them that this process has not evaluated yet. */
interface News {
  /** The entries with an event, after this sequence number and up to `upTo`. */
  logged: LoggedEvent[];
  after: number;
  upTo: number;
}

/** Up to which sequence number this process has evaluated every entry. */
const evaluated = new ProcessCache<"sequence", number>({ minRetained: 1 });

/** How far back this process may have evaluated entries so that those in between are worth reading. */
const maxEntriesBetween = 500;

/**
 * The log from what this process has evaluated up to the end of a batch. A batch may lack an entry that is written late, or that
 * another invocation receives; no event may be posted before those that precede it.
 */
async function newsUpTo(batch: readonly LogEntry[]): Promise<News> {
  cacheEntries(batch);
  const sequences = batch.map(({ sequence }) => sequence);
  const [first, last] = [Math.min(...sequences), Math.max(...sequences)];
  const known = evaluated.get("sequence") ?? 0;
  const after = known < first && first - known <= maxEntriesBetween ? known : first - 1;
  const entries = await entriesBetween(after, last);
  if (last > known) evaluated.set("sequence", last);
  return { logged: entries.filter(hasEvent), after, upTo: last };
}
