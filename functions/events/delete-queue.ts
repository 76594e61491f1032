import { string } from "../../shared/base/schema/params.ts";
import { accessQueue, closeQueue } from "../../shared/features/events/queue.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/events",
    summary: "Deletes the caller's event queue.",
    caller: "user",
    params: { queue_id: string({ max: 100 }) },
    returns: {},
    errors: ["BAD_EVENT_QUEUE_ID"],
    uses: { table: "readWrite", wakeUpQueues: "delete", connections: "manage" },
  },
  async ({ caller, params }) => {
    await closeQueue(await accessQueue(caller, params.queue_id));
  },
);
