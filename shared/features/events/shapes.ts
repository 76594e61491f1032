import type { ClientEvent, LogEvent, LogEventOf } from "../../base/schema/event-types.ts";
import type { UserObject } from "../../core/users/wire.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { EventQueue, QueueOptions } from "../../store/delivery/event-queues.ts";
import type { QueuedEvent } from "./event-types.ts";
import { maxEventsPerEntry } from "./ids.ts";
import { withNamedTopics } from "./named-topics.ts";
import type { Capability } from "./options.ts";

/** Adapts events to the capabilities and options of a client. */

const can = (queue: Pick<QueueOptions, "capabilities">, capability: Capability) =>
  queue.capabilities.includes(capability);

/** Whether a client knows a typing notification; undefined for other events. */
export function acceptsTyping(queue: Pick<QueueOptions, "capabilities">, event: LogEvent | QueuedEvent) {
  if (event.type === "typing") return event.message_type === "direct" || can(queue, "stream_typing_notifications");
  if (event.type !== "typing_edit_message") return undefined;
  return event.recipient.type === "direct" || can(queue, "stream_typing_notifications");
}

/** The events that a client receives in place of an event, in the shapes that the client knows. */
export function shapesFor(queue: EventQueue, queued: QueuedEvent, { settings }: Realm): ClientEvent[] {
  const event = can(queue, "empty_topic_name") ? queued : withNamedTopics(queued, settings.empty_topic_display_name);
  switch (event.type) {
    case "delete_message": {
      if (!("message_ids" in event) || can(queue, "bulk_message_deletion")) return [event];
      const { message_ids, ...rest } = event;
      return message_ids.slice(0, maxEventsPerEntry(queue)).map((message_id) => ({ ...rest, message_id }));
    }
    case "typing":
    case "typing_edit_message":
      return acceptsTyping(queue, event) ? [event] : [];
    case "presence": {
      if (!("modern" in event)) return [event];
      const { modern, email, ...legacy } = event;
      if (can(queue, "simplified_presence_events"))
        return [{ type: "presence", presences: { [String(event.user_id)]: modern } }];
      return [queue.slimPresence ? legacy : { ...legacy, email }];
    }
    case "realm_linkifiers":
      return [can(queue, "linkifier_url_template") ? event : { ...event, realm_linkifiers: [] }];
    case "update_display_settings":
    case "update_global_notifications":
      return can(queue, "user_settings_object") ? [] : [event];
    case "realm_user":
      return [event.op === "add" ? { ...event, person: withoutGravatar(event.person, queue) } : event];
    case "user_group": {
      if (event.op !== "update") return [event];
      // A reactivated group is sent as a whole to clients for which it is new.
      const { group, ...update } = event as LogEventOf<"user_group"> & { op: "update" };
      const { deactivated } = update.data;
      if (deactivated === undefined || can(queue, "include_deactivated_groups")) return [update];
      if (deactivated) return [{ type: "user_group", op: "remove", group_id: update.group_id }];
      return group ? [{ type: "user_group", op: "add", group }] : [];
    }
    default:
      return [event];
  }
}

/** Clients that compute gravatars themselves, of addresses that they see, get null instead of the URL. */
const withoutGravatar = (person: UserObject, queue: EventQueue): UserObject =>
  queue.clientGravatar &&
  person.delivery_email !== null &&
  person.avatar_url?.startsWith("https://secure.gravatar.com/")
    ? { ...person, avatar_url: null }
    : person;
