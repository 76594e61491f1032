import { showBotEvent } from "../bots/feed.ts";
import { showChannelEvent } from "../channels/feed.ts";
import { showMessages } from "../messages/view.ts";
import type { MessageObject } from "../messages/wire.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { consistently } from "../store/consistency.ts";
import type { EventQueue } from "../store/event-queues.ts";
import type { LoggedEvent } from "../store/log.ts";
import { type Caller, isGuest } from "../users/caller.ts";
import { changesAcquaintance, showAcquaintance, showPersonEvent } from "../users/feed.ts";
import { derivedFrom } from "./derived.ts";
import { type PollMemory, showFreshMessages } from "./fresh-messages.ts";
import { eventId, eventsPerPlace } from "./ids.ts";
import { matchesNarrow } from "./narrow.ts";
import { readersOf } from "./readers.ts";
import { shapesFor } from "./shapes.ts";
import { sharedRead } from "./shared-reads.ts";
import { subscriptionView } from "./subscription-view.ts";

/** An event as a client receives it. */
export type ClientEvent = { type: string; id: number; [field: string]: unknown };

/** An event at its place in the log. */
export interface PlacedEvent extends LoggedEvent {
  place: number;
  /** Whether the queue's owner was in its audience at that place. */
  addressed: boolean;
}

/**
 * What some events of the log are for a queue: those that its owner may see and its client asked for, in the shape that
 * its client understands. What they lead to is read strongly: an event may be a few milliseconds old.
 */
export async function showEvents(
  caller: Caller,
  queue: EventQueue,
  placed: readonly PlacedEvent[],
  memory: PollMemory,
): Promise<ClientEvent[]> {
  const wanted = placed.filter(
    (logged) => mayConcern(queue, logged) || (isGuest(caller) && mayAcquaint(queue, logged)),
  );
  if (wanted.length === 0) return [];
  return consistently(async () => {
    const maySee = await readersOf(caller, queue, wanted);
    const visible = wanted.filter(maySee);
    if (visible.length === 0) return [];
    const realm = await sharedRead("realm", 500, accessRealm);
    const messages = await messagesOf(caller, queue, visible, realm, memory);
    const showsChannels = visible.some(
      ({ audience, event }) =>
        audience.kind === "channelViewers" || derivedFrom(event, caller.id)?.types.includes("stream"),
    );
    const view = showsChannels
      ? await subscriptionView(queue, caller.id)
      : { includeSubscribers: false, archivedChannels: false };
    const reader = {
      caller,
      realm,
      view,
      among: placed,
      bearsGaps: queue.capabilities.includes("user_list_incomplete"),
    };
    const shown = await Promise.all(
      visible.map(async (logged) => {
        const { event } = logged;
        const message = messages.get(event.message_id as number);
        const people = isWanted(queue, "realm_user") ? await showAcquaintance(event, reader) : [];
        if (event.type === "message")
          return [
            ...people,
            ...messageEvents(queue, logged, message, realm),
            ...raisedIn(queue, event).flatMap((raised) => shapesFor(queue, raised, realm)),
          ];
        if (event.type === "update_message") return shapesFor(queue, { ...event, flags: message?.flags ?? [] }, realm);
        if (event.type === "realm_bot") return showBotEvent(logged);
        const derived = derivedFrom(event, caller.id);
        const told = await (derived ? derived.show(logged, reader) : showChannelEvent(logged, reader));
        const seen = (await Promise.all(told.map((one) => showPersonEvent(one, reader)))).flat();
        return [...people, ...seen]
          .filter(({ type }) => isWanted(queue, type))
          .flatMap((one) => shapesFor(queue, one, realm));
      }),
    );
    return shown.flatMap((events, position) =>
      events.slice(0, eventsPerPlace).map((event, index, { length }) => ({
        ...event,
        id: eventId(queue.base, (visible[position] as PlacedEvent).place, index, length),
      })),
    );
  });
}

const isWanted = ({ eventTypes }: Pick<EventQueue, "eventTypes">, type: string) => {
  // Whoever asks for the newer form by name does without the older one.
  if (type === "silence" || (type === "muted_topics" && eventTypes?.includes("user_topic"))) return false;
  return eventTypes === undefined || eventTypes.includes(type);
};

/** Events in which the queue's owner finds their own flags. */
const withFlags = new Set(["message", "update_message"]);

/**
 * A subscription may be the first or the last that someone hears of a channel, and a message may change the policy of its
 * topic: they are news of both kinds.
 */
export const mayConcern = (queue: Pick<EventQueue, "eventTypes" | "userId">, { event, audience }: LoggedEvent) =>
  (derivedFrom(event, queue.userId)?.types ?? [event.type]).some((type) => isWanted(queue, type)) ||
  (audience.kind === "channelViewers" && isWanted(queue, "stream")) ||
  raisedIn(queue, event).length > 0;

/** Guests may hear of people by somebody's joining, leaving or writing. */
export const mayAcquaint = (queue: Pick<EventQueue, "eventTypes">, { event }: LoggedEvent) =>
  changesAcquaintance(event) && isWanted(queue, "realm_user");

/** What a message made of its topic, which concerns its sender alone. */
function raisedIn(queue: Pick<EventQueue, "eventTypes" | "userId">, event: LoggedEvent["event"]) {
  const raised = event.raised as { user_id: number; event: LoggedEvent["event"] } | undefined;
  return raised?.user_id === queue.userId && isWanted(queue, "user_topic") ? [raised.event] : [];
}

async function messagesOf(
  caller: Caller,
  queue: EventQueue,
  placed: readonly PlacedEvent[],
  realm: Realm,
  memory: PollMemory,
): Promise<Map<number, MessageObject>> {
  const presentation = {
    applyMarkdown: queue.applyMarkdown,
    clientGravatar: queue.clientGravatar,
    allowEmptyTopicName: queue.capabilities.includes("empty_topic_name"),
  };
  const concerned = placed.filter(({ event }) => withFlags.has(event.type));
  const idOf = ({ event }: PlacedEvent) => event.message_id as number;
  const sent = concerned.filter(({ event, addressed }) => event.type === "message" && addressed).map(idOf);
  const fresh = await showFreshMessages(caller, sent, realm, presentation, memory);
  const others = concerned.map(idOf).filter((id) => !fresh.has(id));
  if (others.length === 0) return fresh;
  const entries = [...new Set(others)].map((id) => ({ id }));
  const shown = await showMessages(caller, entries, realm, presentation);
  return new Map([...fresh, ...shown.map((message) => [message.id, message] as const)]);
}

/** A message that was deleted since is none: the event of its deletion follows. */
function messageEvents(
  queue: EventQueue,
  { event, addressed }: PlacedEvent,
  message: MessageObject | undefined,
  { settings }: Realm,
) {
  if (!message || !isWanted(queue, "message")) return [];
  const { flags: own = [], ...object } = message;
  const flags = addressed ? own : [];
  if (!matchesNarrow(queue.narrow, message, flags, settings)) return [];
  const isSender = event.queue_id === queue.id && event.local_id !== undefined;
  return [{ type: "message", message: object, flags, ...(isSender && { local_message_id: event.local_id }) }];
}
