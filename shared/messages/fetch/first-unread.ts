import { intersectPeriods } from "../../channels/periods.ts";
import type { Period } from "../../store/channels/subscriptions.ts";
import {
  findUnreadFloors,
  listNewestSegments,
  listReadMarksSince,
  type UnreadFloors,
} from "../../store/messages/read-state.ts";
import { isMuted, isTopicMuted, readTopicPolicies } from "../flags/muting.ts";
import { unreadFrom } from "../flags/unread.ts";
import { unreadRanges } from "../flags/unread-ranges.ts";
import type { Reader } from "../reader.ts";
import { matchesOnlyStarred, matchingSource, type Narrow } from "./matching.ts";
import { newestAnchor } from "./range.ts";

/**
 * The oldest unread message of a narrow among those that the reader received, without muted ones; the newest-anchor
 * sentinel when there is none. Stretches that are marked as read cost only the read of their marks, the newest of which are
 * read together with the floor: older ones are needed only where the floor lies below them.
 */
export async function firstUnread(reader: Reader, narrow: Narrow): Promise<number> {
  const { caller } = reader;
  if (!caller) return newestAnchor;
  const [source, policies, floors, newest] = await Promise.all([
    matchingSource(reader, narrow, true),
    readTopicPolicies(reader),
    findUnreadFloors(caller.id),
    listNewestSegments(caller.id),
  ]);
  const channel = narrow.terms.find(({ by, negated }) => by === "channel" && !negated);
  const channelId = channel?.by === "channel" ? channel.id : undefined;
  const isOwnHistory = channelId !== undefined && !matchesOnlyStarred(narrow.terms);
  const ranges = isOwnHistory ? rangesIn(reader, channelId, floors) : [everything];
  const [lowest] = ranges;
  if (!lowest) return newestAnchor;
  const marks = await listReadMarksSince(caller.id, lowest[0], newest);
  for (const [from, end = Number.MAX_SAFE_INTEGER] of ranges) {
    const read = async (start: number, limit: number) =>
      (await source({ from: start, to: end - 1, descending: false, limit })).flatMap(({ message }) => message ?? []);
    for await (const message of unreadFrom(reader, marks, read, from)) {
      const muted = channelId === undefined ? isMuted(reader, message, policies) : isTopicMuted(message, policies);
      if (!muted) return message.id;
    }
  }
  return newestAnchor;
}

const everything: Period = [0];

const rangesIn = (reader: Reader, channelId: number, floors: UnreadFloors): Period[] => {
  const start = reader.subscription(channelId)?.periods[0]?.[0] ?? 0;
  return intersectPeriods(unreadRanges(floors, channelId, reader.channel(channelId)), [[start]]);
};
