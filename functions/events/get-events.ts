import { missingParameter } from "../../shared/errors.ts";
import { bellPath } from "../../shared/events/bells.ts";
import { checkOptions } from "../../shared/events/options.ts";
import { look, poll } from "../../shared/events/poll.ts";
import { accessKnownQueue, accessQueue, foreseeQueue } from "../../shared/events/queue.ts";
import { registerQueue } from "../../shared/events/registration.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { anything, bool, int, list, mapOf, optional, string, withDefault } from "../../shared/http/params.ts";
import { redirect } from "../../shared/http/raw-reply.ts";
import { bellsUrl, eventHoldSeconds } from "../../shared/settings.ts";

/** A queue opened without `/register`, by clients that ask for nothing in particular. */
const plain = {
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
    summary: "Returns a queue's next events as soon as there are some, after a while a heartbeat.",
    caller: "user",
    params: {
      queue_id: optional(string({ max: 100 })),
      last_event_id: optional(int()),
      dont_block: withDefault(bool(), false),
    },
    returns: { events: list(mapOf(anything())), queue_id: optional(string()) },
    beside: ({ sent }) =>
      sent("last_event_id") === undefined ? Promise.resolve(undefined) : foreseeQueue(sent("queue_id")),
    redirects: true,
    holds: true,
    uses: { table: "readWrite", secret: true, bells: "make" },
  },
  async ({ caller, params, beside: foreseen }) => {
    if (params.queue_id === undefined) {
      if (!params.dont_block) throw missingParameter("queue_id");
      const { id } = await registerQueue(caller, checkOptions(caller, plain));
      return { events: [], queue_id: id };
    }
    const { last_event_id: lastEventId, dont_block: dontBlock } = params;
    // Who says what they have seen is told what follows, even if the queue's own place is a moment old.
    const queue = await (lastEventId === undefined
      ? accessQueue(caller, params.queue_id)
      : accessKnownQueue(caller, params.queue_id, foreseen));
    if (queue.bell && bellsUrl() && !dontBlock) {
      const events = await look(caller, queue, lastEventId);
      return events ? { events } : redirect(`events/${bellPath(queue, lastEventId)}`);
    }
    return { events: await poll(caller, queue, { lastEventId, dontBlock, holdMs: eventHoldSeconds * 1000 }) };
  },
);
