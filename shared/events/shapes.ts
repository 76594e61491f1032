import type { Realm } from "../organization/access.ts";
import type { EventQueue, QueueOptions } from "../store/event-queues.ts";
import type { Capability } from "./capabilities.ts";
import { eventsPerPlace } from "./ids.ts";
import { withNamedTopics } from "./named-topics.ts";

/** How events look to clients of different age and taste (companion reference, D, Queue options and capabilities). */

type Event = { type: string; [field: string]: unknown };
type Shaper = (event: Event, queue: EventQueue) => Event[];

const can = (queue: Pick<QueueOptions, "capabilities">, capability: Capability) =>
  queue.capabilities.includes(capability);

const shapers: Record<string, Shaper> = {
  delete_message: (event, queue) => {
    const ids = event.message_ids as number[] | undefined;
    if (!ids || can(queue, "bulk_message_deletion")) return [event];
    const { message_ids: _, ...rest } = event;
    return ids.slice(0, eventsPerPlace).map((message_id) => ({ ...rest, message_id }));
  },
  typing: (event, queue) => (event.stream_id === undefined || can(queue, "stream_typing_notifications") ? [event] : []),
  typing_edit_message: (event, queue) =>
    (event.recipient as { type: string }).type === "direct" || can(queue, "stream_typing_notifications") ? [event] : [],
  presence: ({ modern, email, ...event }, queue) => {
    if (can(queue, "simplified_presence_events"))
      return [{ type: "presence", presences: { [String(event.user_id)]: modern } }];
    return [queue.slimPresence ? event : { ...event, email }];
  },
  realm_linkifiers: (event, queue) => [
    can(queue, "linkifier_url_template") ? event : { ...event, realm_linkifiers: [] },
  ],
  realm_user: (event, queue) => [{ ...event, person: withoutGravatar(event.person as Person, queue) }],
  user_group: (event, queue) => {
    if (event.op !== "update") return [event];
    // A reactivated group comes with its record, for those to whom it is a new one.
    const { group, ...update } = event;
    const data = update.data as { deactivated?: boolean };
    if (data.deactivated === undefined || can(queue, "include_deactivated_groups")) return [update];
    return data.deactivated
      ? [{ type: "user_group", op: "remove", group_id: update.group_id }]
      : [{ type: "user_group", op: "add", group }];
  },
};

type Person = { avatar_url?: unknown; avatar_source?: unknown };

/** Clients that make out gravatars themselves get null for them. */
function withoutGravatar(person: Person, queue: EventQueue): Person {
  const isGravatar = String(person.avatar_url ?? "").startsWith("https://secure.gravatar.com/");
  return queue.clientGravatar && isGravatar && !("avatar_source" in person) ? { ...person, avatar_url: null } : person;
}

/** An event of the log as the events that a client receives. */
export function shapesFor(queue: EventQueue, event: Event, { settings }: Realm): Event[] {
  const named = can(queue, "empty_topic_name") ? event : withNamedTopics(event, settings.empty_topic_display_name);
  return shapers[event.type]?.(named, queue) ?? [named];
}
