import { later, perSession } from "../session.ts";
import { setFlag } from "./change-messages.ts";

const readDelayMs = 400;
const maxReadBatch = 1000;

/** Messages that the user has seen and that the next request marks as read. */
const pending = perSession(() => ({ ids: new Set<number>(), isScheduled: false }));

/** Marks messages as read in batches, shortly after they were seen. */
export function markRead(ids: Iterable<number>): void {
  const waiting = pending();
  for (const id of ids) waiting.ids.add(id);
  if (waiting.ids.size === 0 || waiting.isScheduled) return;
  waiting.isScheduled = true;
  later(async () => {
    waiting.isScheduled = false;
    const batch = [...waiting.ids].slice(0, maxReadBatch);
    for (const id of batch) waiting.ids.delete(id);
    await setFlag(batch, "read", "add").catch(() => {
      // A failure is ignored: the messages are marked when they are seen again.
    });
    if (waiting === pending() && waiting.ids.size > 0) markRead([]);
  }, readDelayMs);
}
