import { poll } from "../../shared/events/poll.ts";
import { accessKnownQueue, foreseeQueue } from "../../shared/events/queue.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { anything, bool, int, list, mapOf, string, withDefault } from "../../shared/http/params.ts";
import { eventHoldSeconds } from "../../shared/settings.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/events/{queue_id}/{last_event_id}/look",
    summary: "Where `GET /events` leads a client whose bell has rung, or has not for a minute.",
    caller: "user",
    params: {
      queue_id: string({ max: 100 }),
      last_event_id: int(),
      held: withDefault(bool(), false),
    },
    returns: { events: list(mapOf(anything())) },
    beside: ({ sent }) => foreseeQueue(sent("queue_id")),
    uses: { table: "readWrite", secret: true },
    holds: true,
    waiting: "bell",
  },
  async ({ caller, params, beside: foreseen }) => {
    const queue = await accessKnownQueue(caller, params.queue_id, foreseen);
    const { last_event_id: lastEventId, held } = params;
    // A bell that cannot be waited at leaves the waiting to us.
    const holdMs = held ? eventHoldSeconds * 1000 : 0;
    return { events: await poll(caller, queue, { lastEventId, dontBlock: false, holdMs }) };
  },
);
