import { setTimeout as pause } from "node:timers/promises";
import { recentSeconds } from "../../shared/store/table/recent-changes.ts";

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

/** UNIX seconds, `seconds` from now. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
