import { setTimeout as pause } from "node:timers/promises";
import { notifyListeners, onNewEntries } from "../../shared/store/log/entry-cache.ts";
import { LogReader } from "../../shared/store/log/reader.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";

const intervalMs = 500;
const maxBatchEntries = 200;

/**
 * Notifies this process of entries that other processes write to the log, such as commands of the operator, while somebody is
 * connected by a WebSocket: the table's stream, which tells of them on AWS, is emulated for this process's own writes only. A
 * poll finds them by itself.
 */
export function followForeignEntries(isConnected: () => boolean): {
  /** Begins at the log's end; awaited before a client connects, which then asks for everything that it lacks so far. */
  begin(): Promise<void>;
  stop(): Promise<void>;
} {
  let reader: LogReader | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const noticed = new Set<number>();
  const stopListening = onNewEntries((entries) => {
    for (const { sequence } of entries) noticed.add(sequence);
  });
  const work = (async () => {
    for (;;) {
      await pause(intervalMs, undefined, { signal });
      if (!isConnected()) {
        reader = undefined;
        noticed.clear();
        continue;
      }
      try {
        const entries = (await reader?.next(maxBatchEntries)) ?? [];
        const foreign = entries.filter(({ sequence }) => !noticed.has(sequence));
        if (foreign.length > 0) notifyListeners(foreign);
        for (const { sequence } of entries) noticed.delete(sequence);
      } catch (error) {
        console.error(JSON.stringify({ foreignEntries: String(error) }));
      }
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    begin: async () => {
      if (reader) return;
      const { event } = await settledHead();
      reader ??= new LogReader(event);
    },
    stop: () => {
      stopListening();
      stopping.abort();
      return work;
    },
  };
}
