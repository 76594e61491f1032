import { setTimeout as pause } from "node:timers/promises";
import { recentSeconds } from "../../shared/store/table/commit-window.ts";

/**
 * Polls until `look` returns something; throws after `seconds`. The interval grows, because polling slows the emulator for
 * other cases.
 */
export async function eventually<T>(look: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    const waited = Date.now() - startedAt;
    if (waited > seconds * 1000) throw new Error(`Nothing came within ${seconds} s`);
    await pause(Math.min(Math.max(100, waited / 20), 1000));
  }
}

/** Waits until no earlier write counts as recent, because recent writes make reads more expensive. */
export const untilNothingIsRecent = () => pause((recentSeconds + 1) * 1000);

/** UNIX seconds, `seconds` from now. Throws for a time that a busy machine may reach before the request does. */
export function inSeconds(seconds: number): number {
  if (seconds > 0 && seconds < 6) throw new Error("A time in the future must be at least six seconds away");
  return Math.floor(Date.now() / 1000) + seconds;
}

/** The nearest time, in UNIX seconds, for which a test can schedule something: the request has 5 s to arrive. */
export const soon = () => inSeconds(6);
