import { setTimeout as pause } from "node:timers/promises";
import { readHead } from "../shared/store/log/log.ts";
import { announce, isAwaited } from "../shared/store/log/memory.ts";
import { LogReader } from "../shared/store/log/tail.ts";

const entriesAtOnce = 200;

/**
 * Reads the log for all who wait in this process: a look every `everyMs` while somebody does (half a read unit each), and
 * each entry once, whatever their number. Resolves when following has begun; returns how to end it.
 */
export async function followLog(everyMs: number): Promise<() => Promise<void>> {
  let reader = new LogReader((await readHead()).event);
  let ended = false;
  const work = (async () => {
    while (!ended) {
      await pause(everyMs);
      if (!isAwaited()) {
        // Nobody misses what happens now: a poll that comes reads on from its own place.
        reader = new LogReader(-1);
        continue;
      }
      try {
        const resumes = reader.sequence < 0;
        if (resumes) reader = new LogReader((await readHead()).event);
        const written = await reader.next(entriesAtOnce);
        // Who began to wait before the head was read anew may have missed what came in between: they look once more.
        if (resumes || written.length > 0) announce(written);
      } catch (error) {
        console.error(JSON.stringify({ followLog: String(error) }));
        await pause(1000);
      }
    }
  })();
  return () => {
    ended = true;
    return work;
  };
}
