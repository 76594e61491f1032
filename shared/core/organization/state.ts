import { isDevelopmentServer, linkUrl } from "../../base/environment.ts";
import { currentHost } from "../../base/host.ts";
import { limits } from "../../base/limits.ts";
import { type PermissionName, permissionSettings } from "../../base/schema/organization-settings.ts";
import { botDomain } from "../../services/identity/bot-domains.ts";
import { providerMethods } from "../../services/identity/providers.ts";
import type { Realm } from "../../services/organization/access.ts";
import { iconData, logoData, nightLogoData } from "../../services/organization/pictures.ts";
import {
  channelPermissionRules,
  groupPermissionRules,
  realmPermissionRules,
} from "../../services/permissions/permission-rules.ts";
import { emojiTableVersion } from "../emoji/version.generated.ts";
import { loadVisibleSettings } from "../user-groups/settings.ts";
import { channelCreationPolicy, webPublicCreationPolicy, wildcardMentionPolicy } from "./legacy.ts";

/** Properties of the server that are not stored in the organization. */
interface HostFacts {
  /** The server's public URL, without a trailing slash. */
  baseUrl: string;
  pushEnabled: boolean;
}

/**
 * The initial state of type `realm`; see https://zulip.com/api/register-queue. Reads users in permission settings that this
 * process has not cached, 1 read unit each.
 */
export async function realmState(realm: Realm, host: HostFacts): Promise<Record<string, unknown>> {
  const { settings } = realm;
  const permissionNames = Object.keys(permissionSettings) as PermissionName[];
  const toVisible = await loadVisibleSettings(
    permissionNames.map((name) => settings[name]),
    realm.usersVersion,
  );
  const values = {
    ...settings,
    ...Object.fromEntries(permissionNames.map((name) => [name, toVisible(settings[name])])),
    ...derivedSettings(realm, host),
  };
  return {
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`realm_${name}`, value])),
    ...sizeLimits(),
    ...serverFacts(realm, host),
    event_queue_longpoll_timeout_seconds: 90,
    password_min_length: limits.minPasswordLength,
    password_max_length: limits.maxPasswordLength,
    password_min_guesses: limits.minPasswordGuesses,
    zulip_plan_is_not_limited: true,
    settings_send_digest_emails: false,
    development_environment: isDevelopmentServer(),
    upgrade_text_for_wide_organization_logo: "",
    giphy_rating_options: gifRatings,
    jitsi_server_url: settings.jitsi_server_url ?? defaultJitsiServerUrl,
  };
}

/** Fields with the prefix `realm_` that follow from others or are the same for every organization. */
function derivedSettings(realm: Realm, { baseUrl, pushEnabled }: HostFacts) {
  const { name, settings } = realm;
  const isPasswordEnabled = settings.password_auth_enabled;
  return {
    name,
    url: baseUrl,
    uri: baseUrl,
    bot_domain: botDomain(linkUrl(baseUrl)),
    date_created: realm.createdAt,
    ...iconData(realm),
    ...logoData(realm),
    ...nightLogoData(realm),
    plan_type: 1,
    push_notifications_enabled: pushEnabled,
    push_notifications_enabled_end_timestamp: null,
    is_zephyr_mirror_realm: false,
    email_auth_enabled: isPasswordEnabled,
    allow_edit_history: settings.message_edit_history_visibility_policy !== "none",
    mandatory_topics: settings.topics_policy === "disable_empty_topic",
    create_public_stream_policy: channelCreationPolicy(settings.can_create_public_channel_group),
    create_private_stream_policy: channelCreationPolicy(settings.can_create_private_channel_group),
    create_web_public_stream_policy: webPublicCreationPolicy(settings.can_create_web_public_channel_group),
    wildcard_mention_policy: wildcardMentionPolicy(settings.can_mention_many_users_group),
    authentication_methods: {
      Email: { enabled: isPasswordEnabled, available: true },
      ...Object.fromEntries(
        Object.entries(providerMethods()).map(([name, enabled]) => [name, { enabled, available: enabled }]),
      ),
      Dev: { enabled: isDevelopmentServer(), available: isDevelopmentServer() },
    },
    available_video_chat_providers: {
      disabled: { id: 0, name: "None" },
      jitsi_meet: { id: 1, name: "Jitsi Meet" },
    },
    default_external_accounts: {
      github: externalAccount("GitHub", "https://github.com/%(username)s"),
    },
  };
}

/** The server for the video call links that clients create, unless the organization sets another. */
const defaultJitsiServerUrl = "https://meet.jit.si";

const externalAccount = (name: string, url_pattern: string) => ({ name, text: name, hint: "", url_pattern });

export const sizeLimits = () => ({
  max_message_length: limits.messageLength,
  max_topic_length: limits.topicLength,
  max_stream_name_length: limits.channelNameLength,
  max_stream_description_length: limits.channelDescriptionLength,
  max_channel_folder_name_length: limits.channelFolderNameLength,
  max_channel_folder_description_length: limits.channelFolderDescriptionLength,
  max_reminder_note_length: limits.reminderNoteLength,
  max_file_upload_size_mib: Math.floor(currentHost().maxUploadBytes / 1024 / 1024),
  // A field of Skein's own: what clients may send by POST /user_uploads/presigned.
  max_presigned_file_upload_size_mib: limits.presignedUploadMib,
  max_avatar_file_size_mib: limits.pictureMib,
  max_icon_file_size_mib: limits.pictureMib,
  max_logo_file_size_mib: limits.pictureMib,
});

const thumbnail = (name: string, animated: boolean) => ({
  name,
  max_width: 840,
  max_height: 560,
  format: "webp",
  animated,
});

const serverFacts = (realm: Realm, { baseUrl }: HostFacts) => ({
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: 200,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
  server_generation: realm.generation ?? realm.createdAt,
  server_emoji_data_url: `${baseUrl}/api/v1/emoji_data?v=${emojiTableVersion}`,
  server_jitsi_server_url: defaultJitsiServerUrl,
  server_min_deactivated_realm_deletion_days: null,
  server_max_deactivated_realm_deletion_days: null,
  server_inline_image_preview: true,
  server_inline_url_embed_preview: false,
  server_avatar_changes_disabled: false,
  server_name_changes_disabled: false,
  server_needs_upgrade: false,
  server_web_public_streams_enabled: true,
  server_can_summarize_topics: false,
  server_thumbnail_formats: [thumbnail("840x560-anim.webp", true), thumbnail("840x560.webp", false)],
  server_supported_permission_settings: {
    realm: realmPermissionRules,
    stream: channelPermissionRules,
    group: groupPermissionRules,
  },
});

const gifRatings = {
  disabled: { id: 0, name: "GIFs are disabled" },
  y: { id: 1, name: "GIFs rated Y (very young audience)" },
  g: { id: 2, name: "GIFs rated G (general audience)" },
  pg: { id: 3, name: "GIFs rated PG (parental guidance)" },
  "pg-13": { id: 4, name: "GIFs rated PG-13 (parental guidance, under 13)" },
  r: { id: 5, name: "GIFs rated R (restricted)" },
};
