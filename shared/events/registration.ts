import { accessRealm } from "../organization/access.ts";
import { consistently } from "../store/consistency.ts";
import type { EventQueue, QueueOptions } from "../store/event-queues.ts";
import { readHead } from "../store/log.ts";
import { LogReader, settledHead } from "../store/log-tail.ts";
import { listSubscriptions } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { isAddressed, isFilled } from "./audience.ts";
import { openQueue } from "./queue.ts";
import { initialState, type StateRequest } from "./state.ts";
import type { State } from "./state-shape.ts";

const attempts = 3;

/**
 * Opens a queue and reads the state that its events continue. The queue begins where the log stood before the state was
 * read, strongly, so that nothing is missed between the two. What happened during the reading would be in the state and
 * among the events: then the state is read again. On the third time it stays so, which clients bear: events say what is,
 * not what to add.
 */
export async function register(
  caller: Caller,
  options: QueueOptions & { lifespan?: number | undefined },
  request: Omit<StateRequest, "caller" | "options" | "realm">,
): Promise<{ queue: EventQueue; state: State }> {
  for (let attempt = 1; ; attempt++) {
    const base = await settledHead();
    const [state, subscriptions] = await consistently(() =>
      Promise.all([
        request.types?.size === 0 ? {} : stateOf({ ...request, caller, options }),
        listSubscriptions(caller.id),
      ]),
    );
    const channelIds = new Set(subscriptions.filter(({ active }) => active).map(({ channelId }) => channelId));
    if (attempt < attempts && (await hasNews(caller, base, channelIds))) continue;
    return { queue: await openQueue(caller, options, { base, channelIds }), state };
  }
}

/** The organization is part of the state: read before, it would lack what changed until the queue began. */
const stateOf = async (request: Omit<StateRequest, "realm">): Promise<State> =>
  initialState({ ...request, realm: await accessRealm() });

/** A queue without any state. */
export const registerQueue = async (caller: Caller, options: QueueOptions): Promise<EventQueue> =>
  (await register(caller, options, { baseUrl: "", types: new Set() })).queue;

/** Whether the log has grown by something that the caller sees, or by something still on its way. */
async function hasNews(caller: Caller, base: number, channelIds: ReadonlySet<number>): Promise<boolean> {
  const head = await readHead();
  const reader = new LogReader(base);
  while (reader.place < head.event) {
    const entries = await reader.next(head.event - reader.place);
    if (entries.length === 0) return true;
    if (entries.some((entry) => isFilled(entry) && isAddressed(entry, caller, channelIds))) return true;
  }
  return false;
}
