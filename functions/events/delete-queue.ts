import { accessQueue } from "../../shared/events/queue.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { deleteEventQueue } from "../../shared/store/event-queues.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/events",
    summary: "Deletes the caller's event queue.",
    caller: "user",
    params: { queue_id: string({ max: 100 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await deleteEventQueue(await accessQueue(caller, params.queue_id));
  },
);
