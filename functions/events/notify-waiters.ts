import { notifyWaiters } from "../../shared/events/notify-waiters.ts";
import { logFollower } from "../../shared/jobs/log-follower.ts";

export const handler = logFollower(
  {
    uses: {
      table: "readWrite",
      secret: true,
      wakeUpQueues: "notify",
      connections: "manage",
      sends: ["deliveries"],
    },
  },
  notifyWaiters,
);
