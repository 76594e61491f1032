import { deflateRawSync, inflateRawSync } from "node:zlib";
import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, type QuerySpec, queryItems } from "../table/reads.ts";
import { put, type Write } from "../table/writes.ts";

/**
 * The messages that a user has marked as read, or as unread again: two bitmaps over message IDs, in segments of 32,768 IDs.
 * A bitmap has at most 4 KB and, deflated, usually far below 1 KB. Segments are versioned, so that concurrent writers do not
 * lose each other's marks. A message without a mark is read or unread by its own attributes (such as `readBySender`).
 */

export const segmentIds = 32_768;

interface StoredSegment {
  index: number;
  version: number;
  read?: Uint8Array;
  unread?: Uint8Array;
}

const key = (userId: number, index: number) => ({ pk: `USER#${userId}`, sk: `READ#${padded(index)}` });
const indexOf = (id: number) => Math.floor(id / segmentIds);

const inflateBits = (bits: Uint8Array | undefined) =>
  bits ? Buffer.from(inflateRawSync(bits)) : Buffer.alloc(segmentIds / 8);
const deflateBits = (bits: Buffer) => (bits.some((byte) => byte !== 0) ? deflateRawSync(bits) : undefined);
const hasBit = (bits: Buffer, at: number) => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
const setBit = (bits: Buffer, at: number, on: boolean) => {
  const byte = bits[at >> 3] ?? 0;
  bits[at >> 3] = on ? byte | (1 << (at & 7)) : byte & ~(1 << (at & 7));
};

class Segment {
  readonly version: number | undefined;
  readonly read: Buffer;
  readonly unread: Buffer;
  changed = false;
  constructor(stored: StoredSegment | undefined) {
    this.version = stored?.version;
    this.read = inflateBits(stored?.read);
    this.unread = inflateBits(stored?.unread);
  }
}

/** A user's marks in the segments that were read. IDs in other segments appear unmarked. */
export class ReadMarks {
  private readonly segments: Map<number, Segment>;
  constructor(segments = new Map<number, Segment>()) {
    this.segments = segments;
  }

  /** true: marked as read; false: marked as unread; undefined: neither. */
  of(id: number): boolean | undefined {
    const segment = this.segments.get(indexOf(id));
    if (!segment) return undefined;
    if (hasBit(segment.read, id % segmentIds)) return true;
    return hasBit(segment.unread, id % segmentIds) ? false : undefined;
  }

  mark(id: number, read: boolean): void {
    const segment = this.segmentOf(indexOf(id));
    setBit(segment.read, id % segmentIds, read);
    setBit(segment.unread, id % segmentIds, !read);
    segment.changed = true;
  }

  /** Marks all IDs from `from` to `to` as read, whether or not they belong to messages. */
  markRange(from: number, to: number): void {
    for (let start = from; start <= to; start = (indexOf(start) + 1) * segmentIds) {
      const segment = this.segmentOf(indexOf(start));
      const last = Math.min(to, (indexOf(start) + 1) * segmentIds - 1);
      for (let id = start; id <= last; id++) {
        // Eight at once.
        if ((id & 7) === 0 && id + 7 <= last) {
          const byte = (id % segmentIds) >> 3;
          if (segment.read[byte] !== 255) segment.changed = true;
          segment.read[byte] = 255;
          segment.unread[byte] = 0;
          id += 7;
          continue;
        }
        if (hasBit(segment.read, id % segmentIds)) continue;
        setBit(segment.read, id % segmentIds, true);
        setBit(segment.unread, id % segmentIds, false);
        segment.changed = true;
      }
    }
  }

  /** Adds the segments of another instance of the same user. */
  merge(other: ReadMarks): void {
    for (const [index, segment] of other.segments) this.segments.set(index, segment);
  }

  /** The smallest ID, `from` or above, that is not marked as read. */
  nextNotRead(from: number): number {
    let id = from;
    for (;;) {
      const segment = this.segments.get(indexOf(id));
      if (!segment) return id;
      const end = (indexOf(id) + 1) * segmentIds;
      while (id < end) {
        const at = id % segmentIds;
        if ((at & 7) === 0 && segment.read[at >> 3] === 255) id += 8;
        else if (hasBit(segment.read, at)) id++;
        else return id;
      }
    }
  }

  /** The largest ID, `upTo` or below, that is not marked as read; -1 when all are. */
  lastNotRead(upTo: number): number {
    let id = upTo;
    while (id >= 0) {
      const segment = this.segments.get(indexOf(id));
      if (!segment) return id;
      const start = indexOf(id) * segmentIds;
      while (id >= start) {
        const at = id % segmentIds;
        if ((at & 7) === 7 && segment.read[at >> 3] === 255) id -= 8;
        else if (hasBit(segment.read, at)) id--;
        else return id;
      }
    }
    return -1;
  }

  /** The largest ID, `upTo` or below, that is marked as read; -1 when none is. */
  lastRead(upTo: number): number {
    for (const index of [...this.segments.keys()].sort((a, b) => b - a)) {
      const bits = this.segments.get(index)?.read;
      const start = index * segmentIds;
      for (let id = Math.min(upTo, start + segmentIds - 1); bits && id >= start; id--) {
        if ((id & 7) === 7 && bits[(id % segmentIds) >> 3] === 0) id -= 7;
        else if (hasBit(bits, id % segmentIds)) return id;
      }
    }
    return -1;
  }

  /** The IDs that are marked as unread, from `from` on, ascending. */
  unreadIds(from: number): number[] {
    const ids: number[] = [];
    for (const [index, { unread }] of [...this.segments].sort(([a], [b]) => a - b))
      for (let at = 0; at < segmentIds; at++) {
        if ((at & 7) === 0 && unread[at >> 3] === 0) at += 7;
        else if (hasBit(unread, at) && index * segmentIds + at >= from) ids.push(index * segmentIds + at);
      }
    return ids;
  }

  /** An ID below which nothing is marked as unread. */
  unreadFloor(): number {
    const marked = [...this.segments].filter(([, { unread }]) => unread.some((byte) => byte !== 0));
    return Math.min(Number.POSITIVE_INFINITY, ...marked.map(([index]) => index * segmentIds));
  }

  /** Writes the changed segments; fails when another request has changed one since it was read. 2 write units for each KB. */
  writes(userId: number): Write[] {
    return [...this.segments]
      .filter(([, { changed }]) => changed)
      .map(([index, { version, read, unread }]) =>
        put(
          {
            ...key(userId, index),
            index,
            version: (version ?? 0) + 1,
            read: deflateBits(read),
            unread: deflateBits(unread),
          },
          { equals: { version } },
        ),
      );
  }

  private segmentOf(index: number): Segment {
    const known = this.segments.get(index) ?? new Segment(undefined);
    this.segments.set(index, known);
    return known;
  }
}

const marksOf = (stored: readonly StoredSegment[]) =>
  new ReadMarks(new Map(stored.map((segment) => [segment.index, new Segment(segment)])));

/** The marks of the given messages: 0.5 read units for each segment that they lie in. */
export async function findReadMarks(userId: number, ids: Iterable<number>): Promise<ReadMarks> {
  const keys = [...new Set([...ids].map(indexOf))].map((index) => key(userId, index));
  return marksOf((await getItems<StoredSegment>(keys, corrected)).flatMap((segment) => segment ?? []));
}

/** All marks from an ID on; for a history of 1,000,000 messages at most 16 read units, usually 1. */
export const listReadMarks = async (userId: number, from: number): Promise<ReadMarks> =>
  marksOf(await listSegments(userId, { first: indexOf(from) }));

const lastIndex = indexOf(Number.MAX_SAFE_INTEGER);

const listSegments = (
  userId: number,
  { first, last = lastIndex, ...options }: { first: number; last?: number } & Pick<QuerySpec, "limit" | "descending">,
) =>
  queryItems<StoredSegment>({
    pk: `USER#${userId}`,
    from: key(userId, first).sk,
    to: key(userId, last).sk,
    ...options,
    ...corrected,
  });

/** The newest segments of a user's marks, for `listReadMarksSince`. */
interface NewestSegments {
  stored: StoredSegment[];
  /** `stored` has every segment from this index on; 0 when it has all of them. */
  completeFrom: number;
}

/** Usually all that a search for unread messages needs: the newest 32,768 to 65,536 messages. */
const newestCount = 2;

/** The newest segments, to be read before it is known which ones are needed. 0.5 read units, at most 2. */
export async function listNewestSegments(userId: number): Promise<NewestSegments> {
  const stored = await listSegments(userId, { first: 0, limit: newestCount, descending: true });
  return { stored, completeFrom: stored.length < newestCount ? 0 : Math.min(...stored.map(({ index }) => index)) };
}

/** All marks from an ID on, of which the newest segments have been read; reads only older ones. */
export async function listReadMarksSince(
  userId: number,
  from: number,
  { stored, completeFrom }: NewestSegments,
): Promise<ReadMarks> {
  const first = indexOf(from);
  const older = first < completeFrom ? await listSegments(userId, { first, last: completeFrom - 1 }) : [];
  return marksOf([...older, ...stored]);
}

/** A cache of the message IDs below which a user has nothing unread, so that older messages are not searched again. */
export interface UnreadFloors {
  /** Channel ID -> message ID. */
  channels: Record<string, number>;
  direct: number;
  /** UNIX milliseconds at which all floors were valid. Messages moved into a channel later may be below its floor. */
  asOf?: number;
  /** Grows whenever messages are marked as unread, which may invalidate floors that were computed before. */
  version: number;
}

const floorsKey = (userId: number) => ({ pk: `USER#${userId}`, sk: "UNREADFLOORS" });

export const findUnreadFloors = async (userId: number): Promise<UnreadFloors> =>
  (await getItem<UnreadFloors>(floorsKey(userId), corrected)) ?? { channels: {}, direct: 0, version: 0 };

/** Fails its transaction when messages were marked as unread since `before` was read. */
export const putUnreadFloors = (userId: number, before: UnreadFloors, floors: Partial<UnreadFloors>): Write =>
  put(
    { ...floorsKey(userId), ...before, ...floors, version: before.version + 1 },
    { equals: { version: before.version === 0 ? undefined : before.version } },
  );

/** Those of the given users who have marked all of some messages as read; 0.5 read units each for 32,768 IDs. */
export async function findMarkedAsRead(
  messageIds: readonly number[],
  userIds: readonly number[],
): Promise<Set<number>> {
  const indexes = [...new Set(messageIds.map(indexOf))];
  const stored = await getItems<StoredSegment>(
    userIds.flatMap((userId) => indexes.map((index) => key(userId, index))),
    corrected,
  );
  return new Set(
    userIds.filter((_, user) => {
      const segments = stored.slice(user * indexes.length, (user + 1) * indexes.length);
      const marks = marksOf(segments.flatMap((segment) => segment ?? []));
      return messageIds.every((id) => marks.of(id) === true);
    }),
  );
}
