import { batchesOf } from "../../base/batches.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { loadItems } from "../table/batching.ts";
import { fetchRange } from "../table/calls.ts";
import { padded } from "../table/keys.ts";
import { readWrittenSince } from "../table/log-end.ts";
import { packJson, unpackJson } from "../table/packing.ts";
import { updateIf } from "../table/single-writes.ts";
import type { Item } from "../table/writes.ts";
import { listUsersUpTo, type User, userKey, usersPartition } from "./users.ts";

/**
 * A compressed copy of all profiles, in chunks by ranges of IDs, from which registrations in large organizations read. Without
 * it, a registration among 1,000 people reads 73.5 units instead of 24 and takes 1.7 times as long; among 10,000, it reads
 * 538.5 instead of 44 and takes 3 times as long. (The bill differs by less than a percent.)
 *
 * The copy may be out of date, but a reader never gets an outdated profile: the manifest lists the profiles of which the chunks
 * may lack a change, and these are read from the table. Every change of a profile increments the organization's `usersVersion`
 * and writes a log entry that names the profile, both in its own transaction. So if the organization's version is newer than the
 * manifest's, the log entries since then name the other profiles that have changed. Registrations bring the copy up to date.
 */
interface Manifest {
  /** Every change up to this `usersVersion` is in the chunks or concerns one of `changed`. */
  version: number;
  /** The same for every change up to this sequence number of the log. */
  sequence: number;
  /** Chunk index -> the lowest version of the chunk that has those changes. */
  chunks: Record<string, number>;
  /** IDs of users whose profiles are missing from the chunks or outdated there. */
  changed?: Set<number>;
  /** For optimistic concurrency: incremented by each change of the manifest. */
  revision: number;
}

interface Chunk {
  index: number;
  /** The `usersVersion` up to which the chunk has every change. */
  version: number;
  /** The users of a range of IDs, as deflated JSON. */
  packed: Uint8Array;
}

/** A user as stored in the copy, without the fields that only a reactivation needs. */
export type CopiedUser = Omit<User, "suspendedChannelIds">;

const partition = "PEOPLE";
const manifestKey = { pk: partition, sk: "MANIFEST" };
const chunkKey = (index: number) => ({ pk: partition, sk: `CHUNK#${padded(index)}` });

/** Organizations with fewer users have no copy: listing the users costs at most as much. */
const minUsers = 500;
/** The number of IDs per chunk: few enough that even long profiles stay far below the limit of an item, 400 KB. */
const idsPerChunk = 250;
const maxChunkBytes = 350_000;
/** When the manifest would list more users than this, their chunks are rewritten. */
const maxChangedUsers = 50;
/** A copy that lags by more log entries than this, during which a profile has changed, is not used: all users are read. */
const maxEntriesBehind = 400;
/** At most one registration per interval writes the whole copy, because that costs hundreds of write units. */
const buildIntervalMs = 60_000;

/** Remembers that the organization is large. It always will be, because users are never deleted. */
const organizationSize = new ProcessCache<"large", true>({ minRetained: 1 });

/** All users, in the order of their IDs. */
export interface People {
  users: CopiedUser[];
  /** Brings the copy up to date, if that is due. Never fails. */
  updateCopy(): Promise<void>;
}

/**
 * All users with every change up to `sequence`, a sequence number up to which the log is settled, and up to the organization's
 * `usersVersion`, which must be read after the log was settled. In a large organization, costs about 22 read units for 10,000
 * users, and 1 for each user whose change the copy lacks.
 */
export async function readPeople(sequence: number, usersVersion: Promise<number>): Promise<People> {
  if (!organizationSize.get("large")) {
    const [fewUsers] = await Promise.all([listUsersUpTo(minUsers), usersVersion]);
    if (fewUsers.length < minUsers) return { users: fewUsers, updateCopy: async () => {} };
    organizationSize.set("large", true);
  }
  const [copy, version] = await Promise.all([readCopy(), usersVersion]);
  const people = copy.manifest && (await readFromCopy(copy.manifest, copy.chunks, sequence, version));
  if (people) return people;
  // This read must begin after the version was read, so that the users are at least as new. `listUsers` might return the result
  // of a query that another part of the request began earlier.
  const users = await fetchRange<User>({ pk: usersPartition }, true);
  return { users, updateCopy: loggingFailure(() => buildCopy(users, sequence, version, copy.manifest)) };
}

/** All users, from the copy and, for those that it lacks, from the table. Undefined when the copy lags too far behind. */
async function readFromCopy(
  manifest: Manifest,
  stored: readonly Chunk[],
  sequence: number,
  version: number,
): Promise<People | undefined> {
  const isCurrent = manifest.version >= version;
  const [chunks, changes] = await Promise.all([
    currentChunks(manifest, stored),
    isCurrent ? { ids: [], isToEnd: false } : changedSince(manifest, sequence, version),
  ]);
  if (!chunks || !changes) return undefined;
  const changed = new Set([...(manifest.changed ?? []), ...changes.ids]);
  const users = new Map(chunks.flatMap(unpack).map((user) => [user.id, user]));
  const current = await loadItems<User>([...changed].map(userKey));
  for (const id of changed) users.delete(id);
  for (const user of current) users.set(user.id, user);
  const allUsers = [...users.values()].sort((a, b) => a.id - b.id);
  const updated = { ...manifest, sequence: Math.max(manifest.sequence, sequence), changed };
  if (isCurrent) {
    const isDue = sequence - manifest.sequence > maxEntriesBehind / 2;
    return { users: allUsers, updateCopy: loggingFailure(async () => isDue && (await putManifest(manifest, updated))) };
  }
  // If the log was not read to its end, a change up to `version` may still be unknown.
  if (!changes.isToEnd) return { users: allUsers, updateCopy: async () => {} };
  return {
    users: allUsers,
    updateCopy: loggingFailure(() =>
      changed.size > maxChangedUsers
        ? putChunks(allUsers, new Set([...changed].map(chunkOf)), { ...updated, version }, manifest)
        : putManifest(manifest, { ...updated, version }),
    ),
  };
}

/**
 * The IDs of users whose profiles were written after the manifest's sequence number, and whether the log was read to its end.
 * Undefined when the copy lags too far behind, or when an entry is missing.
 */
async function changedSince(manifest: Manifest, sequence: number, version: number) {
  if (sequence - manifest.sequence > maxEntriesBehind) return undefined;
  const written = await readWrittenSince(manifest.sequence, sequence);
  if (!written) return undefined;
  const changes = written.changes.map((items) => items.flatMap(({ pk, sk }) => (pk === usersPartition ? [sk] : [])));
  // Each change increments the version once, so an entry is missing if there are fewer changes than versions.
  if (changes.filter((keys) => keys.length > 0).length < version - manifest.version) return undefined;
  return { ids: changes.flat().map(Number), isToEnd: written.isToEnd };
}

/** The manifest and the chunks, eventually consistent: an older state of either gives the same users, with more reads. */
async function readCopy(): Promise<{ manifest: Manifest | undefined; chunks: Chunk[] }> {
  const items = await fetchRange<Chunk | Manifest | { buildingUntil: number }>({ pk: partition }, false);
  return {
    manifest: items.find((item) => "revision" in item),
    chunks: items.filter((item) => "index" in item),
  };
}

/** The chunks that the manifest names, each in the required version or a newer one; undefined when one is missing. */
async function currentChunks(manifest: Manifest, stored: readonly Chunk[]): Promise<Chunk[] | undefined> {
  const isCurrent = ({ index, version }: Chunk) => version >= (manifest.chunks[index] ?? Number.POSITIVE_INFINITY);
  const current = stored.filter(isCurrent);
  const currentIndexes = new Set(current.map(({ index }) => index));
  const missing = Object.keys(manifest.chunks).filter((index) => !currentIndexes.has(Number(index)));
  // The eventually consistent read may have returned older chunks.
  const reread = await loadItems<Chunk>(missing.map((index) => chunkKey(Number(index))));
  const found = reread.filter(isCurrent);
  return found.length === missing.length ? [...current, ...found] : undefined;
}

const unpack = ({ packed }: Chunk) => unpackJson<CopiedUser[]>(packed);

const chunkOf = (id: number) => Math.floor(id / idsPerChunk);

/** Writes the whole copy, unless another registration has begun to do so within `buildIntervalMs`. */
async function buildCopy(users: readonly User[], sequence: number, version: number, previous: Manifest | undefined) {
  const now = Date.now();
  const mayBuild = await updateIf(
    manifestKey,
    { set: { buildingUntil: now + buildIntervalMs } },
    { below: { buildingUntil: now } },
  );
  if (!mayBuild) return;
  const indexes = new Set(users.map(({ id }) => chunkOf(id)));
  await putChunks(users, indexes, { version, sequence, chunks: {}, revision: 0 }, previous);
}

/**
 * Writes the chunks with these indexes, and then the manifest, which no longer lists changed users. A process that dies in
 * between leaves chunks that are newer than the manifest requires, which does no harm.
 */
async function putChunks(
  users: readonly CopiedUser[],
  indexes: ReadonlySet<number>,
  { changed: _, ...manifest }: Manifest,
  previous: Manifest | undefined,
): Promise<void> {
  const members = Map.groupBy(users, ({ id }) => chunkOf(id));
  const packed = [...indexes].map((index) => ({ index, packed: pack(members.get(index) ?? []) }));
  if (packed.some((chunk) => chunk.packed.length > maxChunkBytes)) return;
  const { version } = manifest;
  const put = async (chunk: Omit<Chunk, "version">) =>
    updateIf(chunkKey(chunk.index), { set: { ...chunk, version } }, { below: { version: version + 1 } });
  for (const batch of batchesOf(packed, maxConcurrentWrites)) {
    const isPut = await Promise.all(batch.map(put));
    // A newer chunk exists, and its writer updates the manifest.
    if (isPut.includes(false)) return;
  }
  const written = Object.fromEntries([...indexes].map((index) => [index, version]));
  await putManifest(previous, { ...manifest, chunks: { ...manifest.chunks, ...written } });
}

const maxConcurrentWrites = 8;

const pack = (users: readonly CopiedUser[]): Uint8Array =>
  packJson(
    users.map((user) => {
      const { pk, sk, gsi1pk, gsi1sk, suspendedChannelIds, ...rest } = user as User & Item;
      return rest;
    }),
  );

/** Does nothing when another registration has changed the manifest since it was read. */
async function putManifest(
  previous: Manifest | undefined,
  { version, sequence, chunks, changed }: Manifest,
): Promise<void> {
  const set = { version, sequence, chunks, revision: (previous?.revision ?? 0) + 1 };
  const change = changed?.size ? { set: { ...set, changed } } : { set, remove: ["changed"] };
  await updateIf(manifestKey, change, { equals: { revision: previous?.revision } });
}

/** Logs an error of `work` instead of throwing it: the copy only saves reads, so the registration must not fail. */
const loggingFailure = (work: () => Promise<unknown>) => async () => {
  try {
    await work();
  } catch (error) {
    console.error(JSON.stringify({ peopleCopy: "not updated", error: describeError(error) }));
  }
};
