import { findUnreadFloors, listReadMarks } from "../store/read-state.ts";
import { matchingSource, type Narrow } from "./matching.ts";
import { isMuted, isTopicMuted, readTopicPolicies } from "./muting.ts";
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
  const from = channelId === undefined ? 0 : Math.max(floors.channels[channelId] ?? 0, startOf(reader, channelId));
  const read = async (start: number, limit: number) =>
    (await source({ from: start, to: Number.MAX_SAFE_INTEGER, descending: false, limit })).flatMap(
      ({ message }) => message ?? [],
    );
  for await (const message of unreadFrom(reader, await listReadMarks(caller.id, from), read, from)) {
    const muted = channelId === undefined ? isMuted(reader, message, policies) : isTopicMuted(message, policies);
    if (!muted) return message.id;
  }
  return newestAnchor;
}

const startOf = (reader: Reader, channelId: number) => reader.subscription(channelId)?.periods[0]?.[0] ?? 0;
