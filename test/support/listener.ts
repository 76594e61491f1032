import type { Person } from "./world.ts";

/** A registered client that polls as real ones do: each poll names the last event that it has received. */
export interface Listener {
  queueId: string;
  /** The reply to its registration. */
  state: any;
  lastEventId: number;
  /** All events so far, except heartbeats. */
  received: any[];
  /** One poll: the events that it returned. */
  poll(options?: { dont_block?: boolean }): Promise<any[]>;
  /** Waits for the next event of a type; skips others. */
  next(type: string, seconds?: number): Promise<any>;
}

/** A predicate for events about a channel. Other tests create public channels meanwhile, whose events reach every queue. */
export const aboutChannel =
  ({ id }: { id: number }) =>
  (event: any): boolean =>
    new RegExp(`"stream_ids?":\\[?${id}\\b`).test(JSON.stringify(event));

/**
 * Registers a queue for a person; `options` are the parameters of `/register`. The listener ignores events that `about`
 * rejects.
 */
export async function listen(
  person: Person,
  options: Record<string, unknown> = {},
  about: (event: any) => boolean = () => true,
): Promise<Listener> {
  const { body: state } = await person.call("POST", "/register", options);
  if (state.result !== "success") throw new Error(state.msg);
  const unread: any[] = [];
  const listener: Listener = {
    queueId: state.queue_id,
    state,
    lastEventId: state.last_event_id,
    received: [],
    async poll({ dont_block = true } = {}) {
      const { queueId: queue_id, lastEventId: last_event_id } = listener;
      const { body } = await person.call("GET", "/events", { queue_id, last_event_id, dont_block });
      if (body.result !== "success") throw new Error(body.msg);
      for (const event of body.events) {
        if (event.id <= listener.lastEventId) throw new Error(`Event ${event.id} came after ${listener.lastEventId}`);
        listener.lastEventId = event.id;
      }
      const events = body.events.filter((event: any) => event.type !== "heartbeat" && about(event));
      listener.received.push(...events);
      unread.push(...events);
      return events;
    },
    async next(type, seconds = 30) {
      for (const end = Date.now() + seconds * 1000; ; ) {
        while (unread.length > 0) {
          const event = unread.shift();
          if (event.type === type) return event;
        }
        if (Date.now() > end) throw new Error(`No ${type} event came within ${seconds} s`);
        await listener.poll({ dont_block: false });
      }
    },
  };
  return listener;
}
