import { setTimeout as pause } from "node:timers/promises";
import { trafficCounts } from "../../shared/features/channels/count-traffic.ts";
import { searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { consumeLogFor } from "../../shared/services/jobs/log-consumer.ts";
import { readHead } from "../../shared/store/log/log.ts";

/** Longer than the time for which the host batches messages for its log subscribers. */
const batchingMs = 2200;

/**
 * Does the work that earlier requests left to the log's subscribers, such as indexing messages, and returns how many
 * milliseconds that took. The host itself begins two seconds after a message, with all messages since, and keeps the engine
 * busy for up to a second, during which requests wait. So this returns only when the host has nothing left to begin.
 */
export async function finishBackgroundWork(): Promise<number> {
  const startedAt = performance.now();
  await consumeToEnd();
  const durationMs = performance.now() - startedAt;
  await pause(batchingMs);
  await consumeToEnd();
  return durationMs;
}

async function consumeToEnd(): Promise<void> {
  const { event: sequence } = await readHead();
  await consumeLogFor([notifications, trafficCounts, searchIndex], [{ sequence }]);
}
