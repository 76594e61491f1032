import { setTimeout as pause } from "node:timers/promises";
import { recentSince } from "../table/commit-window.ts";
import { noteRead, readBackward } from "../table/log-end.ts";
import { markSettled, settledSequence } from "./entry-cache.ts";
import { type Head, readHead } from "./log.ts";
import { fillGaps, gapTimeoutMs } from "./tombstones.ts";

/**
 * The log's head, once everything up to it is settled: nothing at or before it will be written any more. Waits a moment for
 * writers in flight and writes tombstones for those that do not finish. Costs 1 read unit when nothing was written recently;
 * otherwise it also reads the recent part of the log, except for the part that this process knows to be settled.
 */
export async function settledHead(): Promise<Head> {
  const head = await readHead();
  if (head.at === undefined || head.at >= recentSince()) await settle(head.event);
  markSettled(head.event);
  return head;
}

async function settle(head: number): Promise<void> {
  const deadline = Date.now() + gapTimeoutMs;
  // Each pause is twice as long as the one before, so that waiting for a slow writer takes few reads.
  for (let pauseMs = 25; ; pauseMs *= 2) {
    const { start, entries, isAfterQuiescence } = await readBackward(head, settledSequence(head));
    if (entries.length === head - start) return noteRead(start, entries, isAfterQuiescence);
    const written = entries.map(({ sk }) => Number(sk));
    if (Date.now() >= deadline) return fillGaps(start, head, written);
    await pause(Math.min(pauseMs, Math.max(0, deadline - Date.now())));
  }
}
