import { notifyWaiters } from "../../shared/features/events/notify-waiters.ts";
import { logFollower } from "../../shared/services/jobs/log-follower.ts";

export const handler = logFollower(
  {
    // A whole processor: posting to many connections is mostly CPU time, which costs the same in a shorter run.
    memoryMb: 1769,
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
