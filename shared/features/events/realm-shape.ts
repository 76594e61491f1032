import { type PermissionName, permissionSettings, plainSettings } from "../../base/schema/organization-settings.ts";
import { bool, int, list, mapOf, nullable, type Shape, shapeOf, strictObject, text } from "../../base/schema/params.ts";
import { sizeLimits } from "../../core/organization/state.ts";
import { groupSettingValue } from "../../core/user-groups/wire.ts";
import {
  channelPermissionRules,
  groupPermissionRules,
  type PermissionRule,
  realmPermissionRules,
} from "../../services/permissions/permission-rules.ts";

/** The fields of event type `realm` in `/register` (https://zulip.com/api/register-queue). */

const prefixed = <const P extends string, const S extends Shape>(prefix: P, shape: S) =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [prefix + name, field])) as {
    [K in keyof S & string as `${P}${K}`]: S[K];
  };

/** For each permission setting, the system groups that it accepts. */
const permissionRulesShape = <N extends string>(rules: Readonly<Record<N, PermissionRule>>) =>
  strictObject(shapeOf(Object.keys(rules) as N[], permissionRuleObject()));

const permissionRuleObject = () =>
  strictObject({
    require_system_group: bool(),
    allow_internet_group: bool(),
    allow_nobody_group: bool(),
    allow_everyone_group: bool(),
    default_group_name: text(),
    default_for_system_groups: nullable(text()),
    allowed_system_groups: list(text()),
  });

const realmFields = {
  ...plainSettings,
  ...shapeOf(Object.keys(permissionSettings) as PermissionName[], groupSettingValue()),
  name: text(),
  url: text(),
  uri: text(),
  bot_domain: text(),
  date_created: int(),
  icon_url: text(),
  icon_source: text(),
  logo_url: text(),
  logo_source: text(),
  night_logo_url: text(),
  night_logo_source: text(),
  plan_type: int(),
  push_notifications_enabled: bool(),
  push_notifications_enabled_end_timestamp: nullable(int()),
  is_zephyr_mirror_realm: bool(),
  email_auth_enabled: bool(),
  allow_edit_history: bool(),
  mandatory_topics: bool(),
  create_public_stream_policy: int(),
  create_private_stream_policy: int(),
  create_web_public_stream_policy: int(),
  wildcard_mention_policy: int(),
  authentication_methods: mapOf(strictObject({ enabled: bool(), available: bool() })),
  available_video_chat_providers: mapOf(strictObject({ id: int(), name: text() })),
  default_external_accounts: mapOf(strictObject({ name: text(), text: text(), hint: text(), url_pattern: text() })),
};

const limitFields = [
  ...(Object.keys(sizeLimits()) as (keyof ReturnType<typeof sizeLimits>)[]),
  "event_queue_longpoll_timeout_seconds",
  "password_min_length",
  "password_max_length",
  "password_min_guesses",
] as const;

const serverFields = {
  presence_ping_interval_seconds: int(),
  presence_offline_threshold_seconds: int(),
  typing_started_expiry_period_milliseconds: int(),
  typing_stopped_wait_period_milliseconds: int(),
  typing_started_wait_period_milliseconds: int(),
  generation: int(),
  emoji_data_url: text(),
  jitsi_server_url: nullable(text()),
  min_deactivated_realm_deletion_days: nullable(int()),
  max_deactivated_realm_deletion_days: nullable(int()),
  inline_image_preview: bool(),
  inline_url_embed_preview: bool(),
  avatar_changes_disabled: bool(),
  name_changes_disabled: bool(),
  needs_upgrade: bool(),
  web_public_streams_enabled: bool(),
  can_summarize_topics: bool(),
  thumbnail_formats: list(
    strictObject({ name: text(), max_width: int(), max_height: int(), format: text(), animated: bool() }),
  ),
  supported_permission_settings: strictObject({
    realm: permissionRulesShape(realmPermissionRules),
    stream: permissionRulesShape(channelPermissionRules),
    group: permissionRulesShape(groupPermissionRules),
  }),
};

export const realmShape = {
  ...prefixed("realm_", realmFields),
  ...prefixed("server_", serverFields),
  ...shapeOf(limitFields, int()),
  zulip_plan_is_not_limited: bool(),
  settings_send_digest_emails: bool(),
  development_environment: bool(),
  upgrade_text_for_wide_organization_logo: text(),
  giphy_rating_options: mapOf(strictObject({ id: int(), name: text() })),
  jitsi_server_url: nullable(text()),
};

/**
 * Fields of features that Skein lacks, with the values of a server where nobody uses them, because clients expect the fields.
 */

const emptyList = list(text());

/** Event type -> the fields that a client which requests the type expects. */
export const absentFeatures: Record<string, Record<string, unknown>> = {
  giphy: { giphy_api_key: "" },
  realm_billing: { realm_billing: { has_pending_sponsorship_request: false } },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_filters: { realm_filters: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  stop_words: { stop_words: [] },
  video_calls: { has_zoom_token: false },
};

export const absentShape = {
  giphy_api_key: text(),
  navigation_tour_video_url: nullable(text()),
  realm_billing: strictObject({ has_pending_sponsorship_request: bool() }),
  realm_embedded_bots: emptyList,
  realm_filters: emptyList,
  realm_incoming_webhook_bots: emptyList,
  stop_words: emptyList,
  has_zoom_token: bool(),
};
