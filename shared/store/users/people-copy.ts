import { deflateRawSync, inflateRawSync } from "node:zlib";
import { describeError } from "../../observability/describe-error.ts";
import { ProcessCache } from "../../process-cache.ts";
import { loadItems } from "../table/batching.ts";
import { fetchRange } from "../table/calls.ts";
import { padded } from "../table/keys.ts";
import { readWrittenSince } from "../table/log-end.ts";
import { updateIf } from "../table/transactions.ts";
import type { Item } from "../table/writes.ts";
import { listUsersUpTo, type User, userKey, usersPartition } from "./users.ts";

/**
 * A compressed copy of all profiles, from which registrations in large organizations read. It is exact, because it records
 * what it lacks. Every change of a profile increments the organization's `usersVersion` and writes a log entry that names
 * the profile, both in its own transaction. A chunk with a version contains all changes up to that version. The mark lists
 * the profiles of which the chunks may lack a change; these are read from the table. If the mark's version is older than
 * the organization's, the log since then names further ones. Registrations keep the copy up to date; it may lag, but is
 * never wrong.
 */
interface Mark {
  /** Every change up to this version of the users is in the chunks or concerns one of `changed`. */
  version: number;
  /** The same for every change up to this sequence number of the log. */
  sequence: number;
  /** The minimum version of each chunk, by its index. */
  chunks: Record<string, number>;
  /** IDs of users whose profiles are missing from the chunks or outdated there. */
  changed?: Set<number>;
  /** For optimistic concurrency: grows with each change of the mark. */
  revision: number;
}

interface Chunk {
  index: number;
  version: number;
  /** The users of a range of IDs, as deflated JSON. */
  packed: Uint8Array;
}

/** A user as stored in the copy, without the fields that only a reactivation needs. */
export type CopiedUser = Omit<User, "suspendedChannelIds">;

const partition = "PEOPLE";
const markKey = { pk: partition, sk: "MARK" };
const chunkKey = (index: number) => ({ pk: partition, sk: `CHUNK#${padded(index)}` });

/** Organizations with fewer users have no copy: listing them costs at most as much. */
const minUsers = 500;
/** The number of IDs per chunk: few enough that a chunk stays far below the limit of an item even with long profiles. */
const idsPerChunk = 250;
const maxChunkBytes = 350_000;
/** With more changed users than this, their chunks are rewritten. */
const maxChanged = 50;
/** A copy that lags by more entries, although a profile has changed, is not used: all users are read. */
const maxEntriesBehind = 400;
/** At most one registration per interval writes the whole copy. */
const buildIntervalMs = 60_000;

/** Whether this process has seen that the organization is large. It stays so, because users are never deleted. */
const known = new ProcessCache<"large", true>({ minRetained: 1 });

/** All users, by ID. */
export interface People {
  users: CopiedUser[];
  /** Brings the copy up to date, if that is due. Never fails. */
  updateCopy(): Promise<void>;
}

/**
 * All users with every change up to `sequence`, a sequence number up to which the log is settled, and up to the organization's
 * version of the users, which must have been read after that. In large organizations about 22 read units for 10,000 users,
 * and those of what the copy lacks.
 */
export async function readPeople(sequence: number, usersVersion: Promise<number>): Promise<People> {
  if (!known.get("large")) {
    const [few] = await Promise.all([listUsersUpTo(minUsers), usersVersion]);
    if (few.length < minUsers) return { users: few, updateCopy: async () => {} };
    known.set("large", true);
  }
  const [copy, version] = await Promise.all([readCopy(), usersVersion]);
  const read = copy.mark && (await readByCopy(copy.mark, copy.chunks, sequence, version));
  if (read) return read;
  // Read after the version, so that they are at least as new: not by a query that another part may have begun before.
  const users = (await fetchRange({ pk: usersPartition }, true)) as unknown as User[];
  return { users, updateCopy: quietly(() => build(users, sequence, version, copy.mark)) };
}

/** The users according to the copy; undefined when it lags too far behind. */
async function readByCopy(
  mark: Mark,
  stored: readonly Chunk[],
  sequence: number,
  version: number,
): Promise<People | undefined> {
  const isCurrent = mark.version >= version;
  const [chunks, since] = await Promise.all([
    currentChunks(mark, stored),
    isCurrent ? { ids: [], isToEnd: false } : changedSince(mark, sequence, version),
  ]);
  if (!chunks || !since) return undefined;
  const changed = new Set([...(mark.changed ?? []), ...since.ids]);
  const users = new Map(chunks.flatMap(usersIn).map((user) => [user.id, user]));
  const read = await loadItems([...changed].map(userKey), true);
  for (const id of changed) users.delete(id);
  for (const user of read) users.set(user.id as number, user as unknown as User);
  const all = [...users.values()].sort((a, b) => a.id - b.id);
  const after = { ...mark, sequence: Math.max(mark.sequence, sequence), changed };
  if (isCurrent) {
    const isDue = sequence - mark.sequence > maxEntriesBehind / 2;
    return { users: all, updateCopy: quietly(async () => isDue && (await putMark(mark, after))) };
  }
  // Without the log's end, a change before `version` may be unknown.
  if (!since.isToEnd) return { users: all, updateCopy: async () => {} };
  return {
    users: all,
    updateCopy: quietly(() =>
      changed.size > maxChanged
        ? putChunks(all, new Set([...changed].map(chunkOf)), { ...after, version }, mark)
        : putMark(mark, { ...after, version }),
    ),
  };
}

/** The users whose profiles were written after the mark's sequence number, and whether up to the log's end. */
async function changedSince(mark: Mark, sequence: number, version: number) {
  if (sequence - mark.sequence > maxEntriesBehind) return undefined;
  const written = await readWrittenSince(mark.sequence, sequence);
  if (!written) return undefined;
  const changes = written.changes.map((items) => items.flatMap(({ pk, sk }) => (pk === usersPartition ? [sk] : [])));
  // Each change increments the version once: a change without an entry cannot be found.
  if (changes.filter((keys) => keys.length > 0).length < version - mark.version) return undefined;
  return { ids: changes.flat().map(Number), isToEnd: written.isToEnd };
}

/** The mark and the chunks, eventually consistent: an older state of either is as valid as the newest. */
async function readCopy(): Promise<{ mark: Mark | undefined; chunks: Chunk[] }> {
  const items = await fetchRange({ pk: partition }, false);
  const mark = items.find(({ sk }) => sk === markKey.sk);
  return {
    mark: mark?.revision === undefined ? undefined : (mark as unknown as Mark),
    chunks: items.filter((item) => item !== mark) as unknown as Chunk[],
  };
}

/** The chunks that the mark names, each with its version or a newer one; undefined when one is missing. */
async function currentChunks(mark: Mark, stored: readonly Chunk[]): Promise<Chunk[] | undefined> {
  const isCurrent = ({ index, version }: Chunk) => version >= (mark.chunks[index] ?? Number.POSITIVE_INFINITY);
  const current = stored.filter(isCurrent);
  const there = new Set(current.map(({ index }) => index));
  const missing = Object.keys(mark.chunks).filter((index) => !there.has(Number(index)));
  const read = (await loadItems(
    missing.map((index) => chunkKey(Number(index))),
    true,
  )) as unknown as Chunk[];
  const found = read.filter(isCurrent);
  return found.length === missing.length ? [...current, ...found] : undefined;
}

const usersIn = ({ packed }: Chunk): CopiedUser[] => JSON.parse(inflateRawSync(packed).toString());

const chunkOf = (id: number) => Math.floor(id / idsPerChunk);

/** Writes the whole copy, unless another registration has started to do so within the interval. */
async function build(users: readonly User[], sequence: number, version: number, before: Mark | undefined) {
  const now = Date.now();
  const isMine = await updateIf(
    markKey,
    { set: { buildingUntil: now + buildIntervalMs } },
    { below: { buildingUntil: now } },
  );
  if (!isMine) return;
  const indexes = new Set(users.map(({ id }) => chunkOf(id)));
  await putChunks(users, indexes, { version, sequence, chunks: {}, revision: 0 }, before);
}

/**
 * Writes some chunks of `users`, and then the mark, which no longer names the changed ones. A process that dies in between
 * leaves chunks that are newer than the mark requires.
 */
async function putChunks(
  users: readonly CopiedUser[],
  indexes: ReadonlySet<number>,
  { changed: _, ...after }: Mark,
  before: Mark | undefined,
): Promise<void> {
  const members = Map.groupBy(users, ({ id }) => chunkOf(id));
  const packed = [...indexes].map((index) => ({ index, packed: pack(members.get(index) ?? []) }));
  if (packed.some((chunk) => chunk.packed.length > maxChunkBytes)) return;
  const { version } = after;
  const put = async (chunk: Omit<Chunk, "version">) =>
    updateIf(chunkKey(chunk.index), { set: { ...chunk, version } }, { below: { version: version + 1 } });
  for (let start = 0; start < packed.length; start += maxConcurrentWrites) {
    const isPut = await Promise.all(packed.slice(start, start + maxConcurrentWrites).map(put));
    // A newer chunk exists, and its writer updates the mark.
    if (isPut.includes(false)) return;
  }
  const written = Object.fromEntries([...indexes].map((index) => [index, version]));
  await putMark(before, { ...after, chunks: { ...after.chunks, ...written } });
}

const maxConcurrentWrites = 8;

function pack(users: readonly CopiedUser[]): Uint8Array {
  const shown = users.map((user) => {
    const { pk, sk, gsi1pk, gsi1sk, suspendedChannelIds, ...rest } = user as User & Item;
    return rest;
  });
  return deflateRawSync(JSON.stringify(shown));
}

/** Fails silently when another registration has changed the mark since it was read. */
async function putMark(before: Mark | undefined, { version, sequence, chunks, changed }: Mark): Promise<void> {
  const set = { version, sequence, chunks, revision: (before?.revision ?? 0) + 1 };
  const change = changed?.size ? { set: { ...set, changed } } : { set, remove: ["changed"] };
  await updateIf(markKey, change, { equals: { revision: before?.revision } });
}

/** The copy only saves reads, so its failure must not fail the registration. */
const quietly = (work: () => Promise<unknown>) => async () => {
  try {
    await work();
  } catch (error) {
    console.error(JSON.stringify({ peopleCopy: "not updated", error: describeError(error) }));
  }
};
