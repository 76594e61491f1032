import { setTimeout as pause } from "node:timers/promises";

/** Asks again until `look` returns something, for at most `seconds`; then the test fails. */
export async function eventually<T>(look: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Nothing came within ${seconds} s`);
    await pause(100);
  }
}

/** UNIX seconds, `seconds` from now. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
