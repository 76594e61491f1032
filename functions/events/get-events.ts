import { describedEvent } from "../../shared/events/client-events.ts";
import { checkMayOpenQueue, checkOptions } from "../../shared/events/options.ts";
import { poll } from "../../shared/events/poll.ts";
import { accessKnownQueue, accessQueue, prefetchQueue } from "../../shared/events/queue.ts";
import { registerQueue } from "../../shared/events/registration.ts";
import { returnImmediately, waitAtWakeUpQueue, waitInFunction } from "../../shared/events/waiting.ts";
import { functionWaitMs, isWakeUpRouteProved, wakeUpPath } from "../../shared/events/wake-up-queues.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { redirect } from "../../shared/http/raw-reply.ts";
import { wakeUpQueuesUrl } from "../../shared/limits.ts";
import { bool, int, list, optional, string, withDefault } from "../../shared/schema/params.ts";

/** The options of a queue that a client opens without `/register`. */
const defaultOptions = {
  narrow: [],
  all_public_streams: false,
  apply_markdown: false,
  client_gravatar: true,
  slim_presence: false,
};

export const handler = endpoint(
  {
    method: "GET",
    path: "/events",
    summary: "Returns a queue's next events as soon as there are any, or a heartbeat when the wait times out.",
    caller: "user",
    params: {
      queue_id: optional(string({ max: 100 })),
      last_event_id: optional(int()),
      dont_block: withDefault(bool(), false),
    },
    returns: { events: list(describedEvent()), queue_id: optional(string()) },
    prefetch: ({ rawParameter: sent }) =>
      sent("last_event_id") === undefined ? Promise.resolve() : prefetchQueue(sent("queue_id")),
    redirects: true,
    longPoll: true,
    errors: ["BAD_EVENT_QUEUE_ID", "REQUEST_VARIABLE_MISSING"],
    uses: { table: "readWrite", secret: true, wakeUpQueues: "create" },
  },
  async ({ caller, params, request }) => {
    if (params.queue_id === undefined) {
      checkMayOpenQueue(params);
      const { id } = await registerQueue(caller, checkOptions(caller, defaultOptions, request.headers["user-agent"]));
      return { events: [], queue_id: id };
    }
    const { last_event_id: lastEventId, dont_block: dontBlock } = params;
    // `last_event_id` overrides the queue's saved position, so the queue may be read with eventual consistency then.
    const [queue, proved] = await Promise.all([
      lastEventId === undefined ? accessQueue(caller, params.queue_id) : accessKnownQueue(caller, params.queue_id),
      wakeUpQueuesUrl() !== undefined && isWakeUpRouteProved(),
    ]);
    if (queue.hasWakeUpQueue && proved && !dontBlock) {
      const events = await poll(caller, queue, lastEventId, waitAtWakeUpQueue);
      return events ? { events } : redirect(`events/${wakeUpPath(queue, lastEventId)}`);
    }
    const strategy = dontBlock ? returnImmediately : waitInFunction(await functionWaitMs());
    return { events: (await poll(caller, queue, lastEventId, strategy)) ?? [] };
  },
);
