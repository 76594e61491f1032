import { bool, int, list, string, withDefault } from "../../shared/base/schema/params.ts";
import { describedEvent } from "../../shared/features/events/client-events.ts";
import { poll } from "../../shared/features/events/poll.ts";
import { polledQueue } from "../../shared/features/events/queue.ts";
import { waitInFunction } from "../../shared/features/events/waiting.ts";
import { functionWaitMs } from "../../shared/features/events/wake-up-queues.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/events/{queue_id}/{last_event_id}/look",
    summary: "Continues a poll of `GET /events` after the client's wake-up queue was notified, or after a minute.",
    caller: "user",
    params: {
      queue_id: string({ max: 100 }),
      last_event_id: int(),
      held: withDefault(bool(), false),
    },
    returns: { events: list(describedEvent()) },
    needs: { queue: polledQueue },
    errors: ["BAD_EVENT_QUEUE_ID"],
    uses: { table: "readWrite", secret: true },
    longPoll: true,
    waiting: "wake-up-queue",
  },
  async ({ caller, params, queue }) => {
    const { last_event_id: lastEventId, held } = params;
    // A wake-up route that fails redirects here with `held`: the function then holds the poll itself.
    const holdMs = held ? await functionWaitMs() : 0;
    return { events: (await poll(caller, queue, lastEventId, waitInFunction(holdMs))) ?? [] };
  },
);
