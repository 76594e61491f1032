import { trafficCounts } from "../../shared/features/channels/count-traffic.ts";
import { searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { consumeLogFor } from "../../shared/services/jobs/log-consumer.ts";
import { logFollower } from "../../shared/services/jobs/log-follower.ts";

/**
 * Runs the log's subscribers, so that endpoints and workers only write to the log and do not depend on them. A separate
 * function (events/notify-waiters) wakes clients, because that must not wait for these subscribers: a late wake-up is
 * worthless.
 */
export const handler = logFollower(
  {
    events: ["message", "update_message", "delete_message", "update_message_flags"],
    batchingWindowSeconds: 2,
    retriesUntilSuccess: true,
    timeoutSeconds: 75,
    uses: { table: "readWrite", sends: ["mail", "outgoing"], pushBouncer: true, mailFrom: true },
  },
  (entries) => consumeLogFor([notifications, trafficCounts, searchIndex], entries),
);
