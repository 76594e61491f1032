import { wakeUpQueuesUrl } from "../../shared/base/environment.ts";
import { onDemand } from "../../shared/base/needs.ts";
import { bool, int, list, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { describedEvent } from "../../shared/features/events/client-events.ts";
import { forgetConnection } from "../../shared/features/events/connections/forget-connection.ts";
import { checkMayOpenQueue, checkOptions } from "../../shared/features/events/options.ts";
import { poll } from "../../shared/features/events/poll.ts";
import { badEventQueueId, polledQueue } from "../../shared/features/events/queue.ts";
import { registerQueue } from "../../shared/features/events/registration.ts";
import { returnImmediately, waitAtWakeUpQueue, waitInFunction } from "../../shared/features/events/waiting.ts";
import {
  functionWaitMs,
  isWakeUpRouteVerified,
  reopenWakeUpQueue,
  wakeUpPath,
} from "../../shared/features/events/wake-up-queues.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { redirect } from "../../shared/services/http/raw-reply.ts";

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
    note: [
      'IDs increase, with gaps. `last_event_id` says what the client has seen, so a client whose reply is lost repeats the request. Acknowledged events can still be fetched for a while (about two minutes or 50 entries); after that they have "already been pruned".',
      "A second poll of a queue ends the first: at once if one process serves both, within 24 s on Lambda. Both get the same events. A poll ends with `UNAUTHORIZED` when its account is deactivated.",
    ],
    caller: "user",
    params: {
      queue_id: optional(string({ max: 100 })),
      last_event_id: optional(int()),
      dont_block: withDefault(bool(), false),
    },
    returns: { events: list(describedEvent()), queue_id: optional(string()) },
    needs: { accessQueue: onDemand(polledQueue) },
    creates: "eventQueue",
    redirects: true,
    longPoll: true,
    errors: ["BAD_EVENT_QUEUE_ID", "REQUEST_VARIABLE_MISSING"],
    uses: { table: "readWrite", secret: true, wakeUpQueues: "create" },
  },
  async ({ caller, params, request, accessQueue }) => {
    if (params.queue_id === undefined) {
      checkMayOpenQueue(params);
      const { id } = await registerQueue(caller, checkOptions(caller, defaultOptions, request.headers["user-agent"]));
      return { events: [], queue_id: id };
    }
    const { last_event_id: lastEventId, dont_block: dontBlock } = params;
    const [queue, isVerified] = await Promise.all([
      accessQueue(),
      wakeUpQueuesUrl() !== undefined && isWakeUpRouteVerified(),
    ]);
    // A client that waits here is no longer at its connection, if it ever had one.
    if (queue.connectionId !== undefined && !dontBlock) await forgetConnection(queue, queue.connectionId);
    const mayWaitAtQueue = isVerified && !dontBlock;
    if (mayWaitAtQueue && (queue.hasWakeUpQueue || (await reopenWakeUpQueue(queue, () => badEventQueueId(queue.id))))) {
      const events = await poll(caller, queue, lastEventId, waitAtWakeUpQueue);
      return events ? { events } : redirect(`events/${wakeUpPath(queue, lastEventId)}`);
    }
    const strategy = dontBlock ? returnImmediately : waitInFunction(await functionWaitMs());
    return { events: (await poll(caller, queue, lastEventId, strategy)) ?? [] };
  },
);
