import { setTimeout as pause } from "node:timers/promises";
import { recentSeconds } from "../../shared/store/table/recent-changes.ts";

/**
 * Asks again until `look` returns something, for at most `seconds`; then the test fails. Who has waited for long asks less
 * often: in an emulator each look is work that others wait for.
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

/** Waits until nothing that was written so far counts as recent: from then on reads cost what they cost in everyday use. */
export const untilNothingIsRecent = () => pause((recentSeconds + 1) * 1000);

/** UNIX seconds, `seconds` from now. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
