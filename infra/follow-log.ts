import { setTimeout as pause } from "node:timers/promises";
import { hasListeners, notifyListeners } from "../shared/store/log/entry-cache.ts";
import { readHead } from "../shared/store/log/log.ts";
import { LogReader } from "../shared/store/log/reader.ts";

const maxBatchEntries = 200;
const pauseAfterErrorMs = 1000;
/** The sequence number of a reader that must read the log's head again before it continues. */
const unknownSequence = -1;

/**
 * Reads the log once for all clients that wait in this process: a poll every `pollIntervalMs` while any client waits (half a
 * read unit each). Resolves when following has begun; returns a function that stops it.
 */
export async function followLog(pollIntervalMs: number): Promise<() => Promise<void>> {
  let reader = new LogReader((await readHead()).event);
  let ended = false;
  const work = (async () => {
    while (!ended) {
      await pause(pollIntervalMs);
      if (!hasListeners()) {
        // Nothing is missed meanwhile: a client that polls reads on from its own sequence number.
        reader = new LogReader(unknownSequence);
        continue;
      }
      try {
        const isResuming = reader.sequence < 0;
        if (isResuming) reader = new LogReader((await readHead()).event);
        const written = await reader.next(maxBatchEntries);
        // Clients that began to wait before the head was read again may have missed entries: make them look once more.
        if (isResuming || written.length > 0) notifyListeners(written);
      } catch (error) {
        console.error(JSON.stringify({ followLog: String(error) }));
        await pause(pauseAfterErrorMs);
      }
    }
  })();
  return () => {
    ended = true;
    return work;
  };
}
