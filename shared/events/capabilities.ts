import { bool, object, optional } from "../http/params.ts";

/** What a client says it understands (companion reference, D). Each is false unless sent. */
const names = [
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

export type Capability = (typeof names)[number];

export const capabilitiesParam = () =>
  object({
    notification_settings_null: bool(),
    ...(Object.fromEntries(names.slice(1).map((name) => [name, optional(bool())])) as Record<
      Exclude<Capability, "notification_settings_null">,
      ReturnType<typeof optional<boolean>>
    >),
  });

/** The names of those that are true. */
export const capabilitiesIn = (sent: Partial<Record<Capability, boolean | undefined>> = {}): Capability[] =>
  names.filter((name) => sent[name] === true);
