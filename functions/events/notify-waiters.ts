import { notifyWaiters } from "../../shared/events/notify-waiters.ts";
import { logFollower } from "../../shared/jobs/log-follower.ts";

export const handler = logFollower(
  { waiting: "wake-up-queue", uses: { table: "read", wakeUpQueues: "notify", sends: ["deliveries"] } },
  notifyWaiters,
);
