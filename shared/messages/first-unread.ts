import { findUnreadFloors, listReadMarks, type UnreadFloors } from "../store/read-state.ts";
import type { Period } from "../store/subscriptions.ts";
import { asksForStarred, matchingSource, type Narrow } from "./matching.ts";
import { unreadRanges } from "./moved-in.ts";
import { isMuted, isTopicMuted, readTopicPolicies } from "./muting.ts";
import { commonPeriods } from "./periods.ts";
import { newestAnchor } from "./range.ts";
import type { Reader } from "./reader.ts";
import { unreadFrom } from "./unread.ts";

/**
 * The oldest unread message of a narrow, over the reader's own history and without what they have muted; the newest
 * sentinel when there is none (companion reference, E). Runs that are marked as read cost nothing but their marks.
 */
export async function firstUnread(reader: Reader, narrow: Narrow): Promise<number> {
  const { caller } = reader;
  if (!caller) return newestAnchor;
  const [source, policies, floors] = await Promise.all([
    matchingSource(reader, narrow, true),
    readTopicPolicies(reader),
    findUnreadFloors(caller.id),
  ]);
  const channel = narrow.terms.find(({ by, negated }) => by === "channel" && !negated);
  const channelId = channel?.by === "channel" ? channel.id : undefined;
  const isOwnHistory = channelId !== undefined && !asksForStarred(narrow.terms);
  const ranges = isOwnHistory ? rangesIn(reader, channelId, floors) : [everything];
  const marks = await listReadMarks(caller.id, ranges[0]?.[0] ?? 0);
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
  return commonPeriods(unreadRanges(floors, channelId, reader.channel(channelId)), [[start]]);
};
