import { setTimeout as pause } from "node:timers/promises";
import { LogReader } from "../store/log-tail.ts";
import { findMessages } from "../store/messages.ts";
import { findIndexPosition, type IndexPosition, indexMessages, moveIndexPosition } from "../store/search-index.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { indexedWords } from "./search-words.ts";

const entriesToStep = 200;
const leaseMs = 60_000;
/** Between two looks at a gap in the log, which is closed when it stays. */
const gapPauseMs = 300;

/**
 * Brings the search index up to the end of the log. One worker does it at a time; each step is done before the position
 * moves on, and doing one twice is doing it once, so that whoever dies leaves the rest to the next.
 */
export async function indexNewMessages(budgetMs = 20_000): Promise<void> {
  const started = Date.now();
  const before = await findIndexPosition({ consistent: true });
  if (before.leasedUntil > started) return;
  let held: IndexPosition = { ...before, leasedUntil: started + leaseMs };
  try {
    await moveIndexPosition(before, held);
    const log = new LogReader(before.place);
    while (Date.now() - started < budgetMs) {
      const entries = await log.next(entriesToStep);
      if (entries.length === 0 && !log.blocked) break;
      if (entries.length === 0) await pause(gapPauseMs);
      const named = entries.flatMap(({ event }) => messagesNamedBy(event));
      await reindex([...new Set(named.map(({ id }) => id))]);
      const newest = Math.max(held.message, ...named.filter(({ isNew }) => isNew).map(({ id }) => id));
      const next = { place: log.place, message: newest, leasedUntil: held.leasedUntil + 1 };
      await moveIndexPosition(held, next);
      held = next;
    }
    await moveIndexPosition(held, { ...held, leasedUntil: Date.now() });
  } catch (error) {
    // Another worker took over.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Messages whose text, topic or place a change concerns. */
function messagesNamedBy(event: { type: string; [field: string]: unknown } | undefined) {
  if (event?.type === "message") return [{ id: event.message_id as number, isNew: true }];
  if (event?.type === "update_message" || event?.type === "delete_message")
    return ((event.message_ids ?? []) as number[]).map((id) => ({ id, isNew: false }));
  return [];
}

async function reindex(ids: readonly number[]): Promise<void> {
  // Strongly: nobody comes by again for what a read that is a moment old did not show.
  const found = await findMessages(ids, { consistent: true });
  await indexMessages(
    ids.map((id, place) => {
      const message = found[place];
      if (!message) return { posting: { id }, words: [] };
      const { channelId, userIds } = message;
      return { posting: { id, channelId, userIds }, words: indexedWords(message) };
    }),
  );
}
