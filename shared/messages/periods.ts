import type { Channel } from "../store/channels.ts";
import type { Message } from "../store/messages.ts";
import type { Period } from "../store/subscriptions.ts";

type Placed = Pick<Message, "id" | "arrivedAs">;

const holds = (periods: readonly Period[], id: number) =>
  periods.some(([from, to = Number.POSITIVE_INFINITY]) => from <= id && id < to);

/** Whether a message was sent, or moved into protected history, during one of some periods. */
export const isWithin = (periods: readonly Period[], { id, arrivedAs }: Placed): boolean =>
  holds(periods, id) || (arrivedAs !== undefined && holds(periods, arrivedAs));

/** Whether the channel shows each subscriber only what came while they were there. */
export const isProtected = ({ inviteOnly, historyPublicToSubscribers }: Channel) =>
  inviteOnly && !historyPublicToSubscribers;

/** Where in a channel with protected history that a reader may see can lie: among their periods, and what was moved in. */
export function searchedPeriods(periods: readonly Period[], { arrivals }: Pick<Channel, "arrivals">): Period[] {
  return mergedPeriods([...periods, ...(arrivals ? [[arrivals.from, arrivals.to + 1] satisfies Period] : [])]);
}

/** The same IDs in ascending periods that lie apart. */
export function mergedPeriods(periods: readonly Period[]): Period[] {
  const merged: Period[] = [];
  for (const [from, to = Number.MAX_SAFE_INTEGER] of [...periods].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= (last[1] ?? 0)) last[1] = Math.max(last[1] ?? 0, to);
    else merged.push([from, to]);
  }
  return merged;
}

/** IDs that are in periods of both; each ascending and apart. */
export const commonPeriods = (some: readonly Period[], others: readonly Period[]): Period[] =>
  some.flatMap(([from, to = Number.MAX_SAFE_INTEGER]) =>
    others.flatMap(([start, end = Number.MAX_SAFE_INTEGER]): Period[] => {
      const both: [number, number] = [Math.max(from, start), Math.min(to, end)];
      return both[0] < both[1] ? [both] : [];
    }),
  );
