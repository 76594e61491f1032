import type { Channel } from "../../store/channels/channels.ts";
import type { Period } from "../../store/channels/subscriptions.ts";
import type { Message } from "../../store/messages/messages.ts";

type MessagePosition = Pick<Message, "id" | "arrivedAs">;

const containsId = (periods: readonly Period[], id: number) =>
  periods.some(([from, to = Number.POSITIVE_INFINITY]) => from <= id && id < to);

/** Whether a message was sent, or moved into protected history, during one of the given periods. */
export const isWithin = (periods: readonly Period[], { id, arrivedAs }: MessagePosition): boolean =>
  containsId(periods, id) || (arrivedAs !== undefined && containsId(periods, arrivedAs));

/** Whether subscribers see only messages that arrived while they were subscribed. */
export const isProtected = ({ inviteOnly, historyPublicToSubscribers }: Channel) =>
  inviteOnly && !historyPublicToSubscribers;

/**
 * The periods of a channel with protected history that may contain readable messages: the reader's own, and moved-in messages.
 */
export function candidatePeriods(periods: readonly Period[], { arrivals }: Pick<Channel, "arrivals">): Period[] {
  return mergePeriods([...periods, ...(arrivals ? [[arrivals.from, arrivals.to + 1] satisfies Period] : [])]);
}

/** Merges periods into ascending, disjoint ones. */
export function mergePeriods(periods: readonly Period[]): Period[] {
  const merged: Period[] = [];
  for (const [from, to = Number.MAX_SAFE_INTEGER] of [...periods].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= (last[1] ?? 0)) last[1] = Math.max(last[1] ?? 0, to);
    else merged.push([from, to]);
  }
  return merged;
}

/** The intersection of two lists of ascending, disjoint periods. */
export const intersectPeriods = (some: readonly Period[], others: readonly Period[]): Period[] =>
  some.flatMap(([from, to = Number.MAX_SAFE_INTEGER]) =>
    others.flatMap(([start, end = Number.MAX_SAFE_INTEGER]): Period[] => {
      const intersection: [number, number] = [Math.max(from, start), Math.min(to, end)];
      return intersection[0] < intersection[1] ? [intersection] : [];
    }),
  );
