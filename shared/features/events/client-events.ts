import type { ClientEvent, LogEvent, LogEventOf } from "../../base/schema/event-types.ts";
import { withLegacyExtraType } from "../../base/schema/extra-emoji-type.ts";
import { schemaRef } from "../../base/schema/params.ts";
import { revealedPresences } from "../../core/presence/revealed.ts";
import {
  changesVisibleUsers,
  toClientPersonEvents,
  usersRevealedBy,
  userVisibilityEvents,
} from "../../core/users/client-events.ts";
import { presentMessages } from "../../messaging/messages/fetch/present-messages.ts";
import { movedUnreadEvents } from "../../messaging/messages/flags/moved-unread.ts";
import { starVisibilityEvents } from "../../messaging/messages/flags/stars.ts";
import type { MessageObject } from "../../messaging/messages/wire.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import type { EventQueue } from "../../store/delivery/event-queues.ts";
import type { WakeUpQueueRecord } from "../../store/delivery/wake-up-queues.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import {
  changesPermissions,
  changesPrivacy,
  channelNameEvents,
  channelNamingTypes,
  derivedTypes,
  toClientEvents,
} from "./derived.ts";
import { type PollCache, showFreshMessages } from "./fresh-messages.ts";
import { eventId, maxEventsPerEntry } from "./ids.ts";
import { matchesNarrow } from "./narrow.ts";
import { type AddressedEvent, audienceFilter } from "./readers.ts";
import { shapesFor } from "./shapes.ts";
import { sharedRead } from "./shared-reads.ts";
import { subscriptionView } from "./subscription-view.ts";
import { typingFilter } from "./typing-filter.ts";

/** An event as a client receives it. */
export type NumberedEvent = ClientEvent & { id: number };
export const describedEvent = () => schemaRef<NumberedEvent>("Event");

/**
 * Converts the log's events to a queue's events: those that the queue's owner may see and its client asked for, in the form
 * that the client understands. Reads are strongly consistent, because an event may be only a few milliseconds old.
 */
export async function showEvents(
  caller: Caller,
  queue: EventQueue,
  entries: readonly AddressedEvent[],
  cache: PollCache,
): Promise<NumberedEvent[]> {
  const relevant = entries.filter(
    (logged) => mayConcern(queue, logged) || (isGuest(caller) && mayRevealUsers(queue, logged)),
  );
  if (relevant.length === 0) return [];
  return withConsistentReads(async () => {
    const maySee = await audienceFilter(caller, queue, relevant);
    const permitted = relevant.filter(maySee);
    if (permitted.length === 0) return [];
    // Polls share a read only if it was made when the log had reached the same entry.
    const asOf = entries.at(-1)?.sequence ?? 0;
    const [realm, isReceived] = await Promise.all([
      sharedRead(`realm ${asOf}`, 500, loadRealm),
      typingFilter({ caller, queue, among: entries, cache }, permitted),
    ]);
    const visible = permitted.filter(isReceived);
    const messages = await messagesOf(caller, queue, visible, { realm, asOf }, cache);
    const showsChannels = visible.some(
      ({ audience, event }) => audience.kind === "channelViewers" || derivedTypes(event, caller.id)?.includes("stream"),
    );
    const view = showsChannels
      ? await subscriptionView(queue, caller.id)
      : { includeSubscribers: false, archivedChannels: false };
    const reader = {
      caller,
      realm,
      view,
      among: entries,
      acceptsPartialUserList: queue.capabilities.includes("user_list_incomplete"),
    };
    const eventsByEntry = await Promise.all(
      visible.map(async (logged) => {
        const { event } = logged;
        const people = await peopleRevealedBy(event, queue, reader);
        if (event.type === "message")
          return [
            ...people,
            ...messageEvents(queue, event, logged, messages.get(event.message_id), realm),
            ...policyChangesIn(queue, event).flatMap((change) => shapesFor(queue, change, realm)),
          ];
        if (event.type === "update_message") {
          const flags = messages.get(event.message_id)?.flags ?? [];
          const moved = await movedUnreadEvents(event, caller, realm);
          return [{ ...event, flags }, ...moved]
            .filter(({ type }) => isWanted(queue, type))
            .flatMap((clientEvent) => shapesFor(queue, clientEvent, realm));
        }
        const derived = await toClientEvents(logged, reader);
        const hasOtherPermissions = changesPermissions(event, caller.id);
        const stars = isWanted(queue, "update_message_flags")
          ? await starVisibilityEvents(event, derived, { ...reader, hasOtherPermissions })
          : [];
        const names = await channelNameEvents(event, derived, {
          ...{ caller, hasOtherPermissions, sequence: logged.sequence },
          isWanted: (type) => isWanted(queue, type),
        });
        const visibleEvents = (await Promise.all(derived.map((queued) => toClientPersonEvents(queued, reader)))).flat();
        const wantedEvents = visibleEvents.filter(({ type }) => isWanted(queue, type));
        const others = [...wantedEvents, ...names, ...stars].flatMap((clientEvent) =>
          shapesFor(queue, clientEvent, realm),
        );
        // Where not everybody fits, as among the few IDs of a bot's queue, what the entry itself says does.
        return [...people.slice(0, Math.max(0, maxEventsPerEntry(queue) - others.length)), ...others];
      }),
    );
    return eventsByEntry.flatMap((events, entryIndex) =>
      events.slice(0, maxEventsPerEntry(queue)).map((event, index, { length }) => ({
        ...(queue.legacyExtraType ? withLegacyExtraType(event) : event),
        id: eventId(queue, (visible[entryIndex] as AddressedEvent).sequence, index, length),
      })),
    );
  });
}

/**
 * The events about users who become accessible or inaccessible by an entry, or whose address does; of those who appear, with status and
 * presence.
 */
async function peopleRevealedBy(
  event: LogEvent,
  queue: EventQueue,
  reader: Parameters<typeof usersRevealedBy>[1],
): Promise<ClientEvent[]> {
  if (!changesVisibleUsers(event) || !isWanted(queue, "realm_user")) return [];
  const { caller, realm } = reader;
  // A caller who was authenticated before the change still has the old role.
  const role = event.type === "role_change" && caller.role === event.before ? event.after : caller.role;
  const current = { ...reader, caller: { ...caller, role } };
  const revealed = await usersRevealedBy(event, current);
  const events = [
    ...(await userVisibilityEvents(revealed, current)),
    ...(isWanted(queue, "presence") ? await revealedPresences(revealed, realm) : []),
  ];
  return events.filter(({ type }) => isWanted(queue, type)).flatMap((one) => shapesFor(queue, one, realm));
}

/** What of a queue decides which entries may concern it, of the queue itself or of its record (`WakeUpQueueRecord`). */
type EventFilter = Pick<WakeUpQueueRecord, "eventTypes" | "userId">;

const isWanted = ({ eventTypes }: Pick<EventFilter, "eventTypes">, type: (LogEvent | ClientEvent)["type"]) => {
  // A client that asks for `user_topic` by name does not receive the older `muted_topics` as well.
  if (type === "silence" || (type === "muted_topics" && eventTypes?.includes("user_topic"))) return false;
  return eventTypes === undefined || eventTypes.includes(type);
};

/**
 * Whether an entry may become an event that the queue wants. One entry may become events of several types: a subscription may
 * reveal or hide its channel, and a message may change its topic's visibility policy.
 */
export const mayConcern = (queue: EventFilter, { event, audience }: LoggedEvent) =>
  (derivedTypes(event, queue.userId) ?? [event.type]).some((type) => isWanted(queue, type)) ||
  (audience.kind === "channelViewers" && isWanted(queue, "stream")) ||
  (changesPrivacy(event) && channelNamingTypes.some((type) => isWanted(queue, type))) ||
  policyChangesIn(queue, event).length > 0;

/** Whether an entry may reveal users to a guest: somebody's subscription, unsubscription or message can. */
export const mayRevealUsers = (queue: Pick<EventFilter, "eventTypes">, { event }: LoggedEvent) =>
  changesVisibleUsers(event) && isWanted(queue, "realm_user");

/** The change of the topic's visibility policy that sending a message caused, which only the sender receives. */
function policyChangesIn(queue: EventFilter, event: LogEvent) {
  const change = event.type === "message" ? event.raised : undefined;
  return change?.user_id === queue.userId && isWanted(queue, "user_topic") ? [change.event] : [];
}

async function messagesOf(
  caller: Caller,
  queue: EventQueue,
  logged: readonly AddressedEvent[],
  { realm, asOf }: { realm: Realm; asOf: number },
  cache: PollCache,
): Promise<Map<number, MessageObject>> {
  const presentation = {
    applyMarkdown: queue.applyMarkdown,
    clientGravatar: queue.clientGravatar,
    allowEmptyTopicName: queue.capabilities.includes("empty_topic_name"),
  };
  // The events that carry the owner's own flags.
  const concerned = logged.flatMap(({ event, addressed }) =>
    event.type === "message" || event.type === "update_message"
      ? [{ id: event.message_id, isSent: event.type === "message" && addressed }]
      : [],
  );
  const sent = concerned.filter(({ isSent }) => isSent).map(({ id }) => id);
  const fresh = await showFreshMessages(caller, sent, { realm, asOf }, presentation, cache);
  const otherIds = concerned.map(({ id }) => id).filter((id) => !fresh.has(id));
  if (otherIds.length === 0) return fresh;
  const entries = [...new Set(otherIds)].map((id) => ({ id }));
  const presented = await presentMessages(caller, entries, realm, presentation);
  return new Map([...fresh, ...presented.map((message) => [message.id, message] as const)]);
}

/** The event of a new message. None if the message has been deleted since: the event of its deletion follows. */
function messageEvents(
  queue: EventQueue,
  event: LogEventOf<"message">,
  { addressed }: AddressedEvent,
  message: MessageObject | undefined,
  { settings }: Realm,
): ClientEvent[] {
  if (!message || !isWanted(queue, "message")) return [];
  const { flags: ownFlags = [], ...object } = message;
  const flags = addressed ? ownFlags : [];
  if (!matchesNarrow(queue.narrow, message, flags, settings)) return [];
  const isSendingQueue = event.queue_id === queue.id && event.local_id !== undefined;
  return [{ type: "message", message: object, flags, ...(isSendingQueue && { local_message_id: event.local_id }) }];
}
