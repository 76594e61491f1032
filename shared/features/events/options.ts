import { badRequest, missingParameter } from "../../base/errors.ts";
import { needsLegacyExtraType } from "../../base/schema/extra-emoji-type.ts";
import { bool, int, literal, maybeQuoted, object, optional, shapeOf, union } from "../../base/schema/params.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import type { QueueOptions } from "../../store/delivery/event-queues.ts";
import { parseQueueNarrow } from "./narrow.ts";
import { maxLifespanSeconds } from "./queue.ts";

/** Throws for a poll that names no queue, unless it has `dont_block`: such a poll opens a queue and returns at once. */
export function checkMayOpenQueue({ dont_block }: { dont_block: boolean }): void {
  if (!dont_block) throw missingParameter("queue_id");
}

/** The phone apps' idle time: so long may an app be in the background and go on where it was. */
const mobileIdleSeconds = 12 * 3600;

/** How long a queue is kept without a poll: seconds, or a name for a kind of client. */
export const idleTimeoutParam = () =>
  maybeQuoted(
    union([int({ min: 0, max: maxLifespanSeconds }), literal("mobile")], `a number up to a week, or "mobile"`),
  );

/** The requested idle time in seconds; the older `lifespan_secs` holds where the other is absent. */
export const lifespanOf = ({
  idle_queue_timeout: timeout,
  lifespan_secs,
}: {
  idle_queue_timeout?: number | "mobile" | undefined;
  lifespan_secs?: number | undefined;
}): number | undefined => (timeout === "mobile" ? mobileIdleSeconds : (timeout ?? lifespan_secs));

interface SentOptions {
  event_types?: string[] | null | undefined;
  narrow: string[][];
  all_public_streams: boolean;
  apply_markdown: boolean;
  client_gravatar: boolean;
  slim_presence: boolean;
  include_subscribers?: "true" | "false" | "partial" | undefined;
  client_capabilities?: Parameters<typeof capabilitiesIn>[0];
}

/** Checks the options with which a client registers a queue, and converts them to their stored form. */
export function checkOptions(caller: Caller, sent: SentOptions, userAgent: string | undefined): QueueOptions {
  if (sent.all_public_streams && isGuest(caller)) throw badRequest("User not authorized for this query");
  const include = sent.include_subscribers;
  return {
    ...(sent.event_types && { eventTypes: [...new Set(sent.event_types)] }),
    narrow: parseQueueNarrow(sent.narrow),
    allPublicStreams: sent.all_public_streams,
    applyMarkdown: sent.apply_markdown,
    clientGravatar: sent.client_gravatar,
    slimPresence: sent.slim_presence,
    includeSubscribers: include === "partial" ? "partial" : include === "true",
    capabilities: capabilitiesIn(sent.client_capabilities),
    ...(needsLegacyExtraType(userAgent) && { legacyExtraType: true }),
  };
}

/** The capabilities of https://zulip.com/api/register-queue. Each is false unless sent. */
const capabilityNames = [
  "notification_settings_null",
  "bulk_message_deletion",
  "user_avatar_url_field_optional",
  "stream_typing_notifications",
  "user_settings_object",
  "linkifier_url_template",
  "user_list_incomplete",
  "include_deactivated_groups",
  "archived_channels",
  "empty_topic_name",
  "simplified_presence_events",
] as const;

export type Capability = (typeof capabilityNames)[number];

export const capabilitiesParam = () =>
  object({ ...shapeOf(capabilityNames, optional(bool())), notification_settings_null: bool() });

/** The names of the capabilities that are true. */
const capabilitiesIn = (sent: Partial<Record<Capability, boolean | undefined>> = {}): Capability[] =>
  capabilityNames.filter((name) => sent[name] === true);
