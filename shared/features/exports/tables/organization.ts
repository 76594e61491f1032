import { realmId, zulipVersion } from "../../../base/limits.ts";
import { permissionSettings } from "../../../base/schema/organization-settings.ts";
import { systemSubgroups } from "../../../base/schema/system-groups.ts";
import { effectiveUserSettings } from "../../../base/schema/user-settings.ts";
import { systemGroupMembers } from "../../../core/user-groups/state.ts";
import { listChannelFolders } from "../../../store/channels/channel-folders.ts";
import { listChannels } from "../../../store/channels/channels.ts";
import { type Group, listGroups } from "../../../store/organization/groups.ts";
import { readLinkifiers } from "../../../store/organization/linkifiers.ts";
import {
  defaultStreamGroupsKey,
  playgroundsKey,
  profileFieldsKey,
  readShortList,
  realmDomainsKey,
} from "../../../store/organization/short-lists.ts";
import type { Context } from "../context.ts";
import { jsonEntry, type Phase } from "../page.ts";
import { editHistoryPolicyNumbers, topicsPolicyNumbers } from "../zulip-numbers.ts";
import { channelIdOf, groupIdsOf, memberships, nestings, userIdOf } from "./references.ts";
import { toSettingColumns } from "./settings.ts";

/**
 * What the export keeps of its beginning, and the version whose importer reads the archive. The importer compares the migrations
 * of the apps that are named, and only warns of those that are not.
 */
export const beginningPhase: Phase = async (_, { lists, users, consentingIds }) => {
  await lists.add("beginning", [{ last_user_id: users.at(-1)?.id, consenting_user_ids: consentingIds }]);
  return {
    entries: [jsonEntry("migration_status.json", { migrations_by_app: {}, zulip_version: zulipVersion })],
  };
};

const groupPermissions = {
  can_add_members_group: "canAddMembersGroup",
  can_join_group: "canJoinGroup",
  can_leave_group: "canLeaveGroup",
  can_manage_group: "canManageGroup",
  can_mention_group: "canMentionGroup",
  can_remove_members_group: "canRemoveMembersGroup",
} as const;

/** User groups; the rows of the groups' names come first, because permissions may name any group. */
export const groupsPhase: Phase = async (_, context) => {
  const { lists, users, realm } = context;
  const groups = await listGroups();
  await lists.add(
    "zerver_usergroup",
    groups.map(({ id }) => ({ id, realm: realmId })),
  );
  // As in Zulip, deactivated people keep their role's group, which they have again when they are reactivated.
  const everybody = users.map((user) => ({ ...user, active: true }));
  const known = new Set(groups.map(({ id }) => id));
  for (const id of known) (await lists.ids("zerver_namedusergroup")).add(id);
  for (const group of groups) await lists.add("zerver_namedusergroup", [await toGroupRow(group, context)]);
  for (const group of groups) {
    const members = group.isSystem
      ? systemGroupMembers(group.id, everybody, realm.settings.waiting_period_threshold)
      : [...(group.members ?? [])].filter((id) => userIdOf(id, context) !== null);
    await lists.add("zerver_usergroupmembership", memberships(group.id, members));
    const subgroups = group.isSystem ? systemSubgroups(group.id) : group.subgroupIds.filter((id) => known.has(id));
    await lists.add("zerver_groupgroupmembership", nestings(group.id, subgroups));
  }
  return {};
};

async function toGroupRow(group: Group, context: Context) {
  const settings = Object.fromEntries(
    Object.entries(groupPermissions).map(([column, name]) => [column, group.settings[name]]),
  ) as Record<keyof typeof groupPermissions, Group["settings"]["canJoinGroup"]>;
  const columns = Object.keys(groupPermissions) as (keyof typeof groupPermissions)[];
  return {
    ...{ id: group.id, usergroup_ptr: group.id, realm_for_sharding: realmId },
    ...{ name: group.name, description: group.description, is_system_group: group.isSystem },
    ...{ date_created: group.createdAt, creator: userIdOf(group.creatorId, context), deactivated: group.deactivated },
    ...(await groupIdsOf(settings, columns, context)),
  };
}

export const foldersPhase: Phase = async (_, context) => {
  const folders = await listChannelFolders();
  await context.lists.add(
    "zerver_channelfolder",
    folders.map(({ id, name, description, renderedDescription, order, createdAt, creatorId, isArchived }) => ({
      ...{ id, realm: realmId, name, description, rendered_description: renderedDescription, order },
      ...{ date_created: createdAt, creator: userIdOf(creatorId, context), is_archived: isArchived },
    })),
  );
  return {};
};

/** The permission settings that Zulip's organizations have, too. */
const realmPermissions = (Object.keys(permissionSettings) as (keyof typeof permissionSettings)[]).filter(
  (name) => name !== "can_create_users_group" && name !== "can_connect_agents_group",
);
/** The settings whose columns in Zulip have the same name and form. */
const realmColumns = [
  ...["description", "default_language", "default_code_block_language", "welcome_message_custom_text"],
  ...["message_content_delete_limit_seconds", "message_content_edit_limit_seconds"],
  ...["move_messages_within_stream_limit_seconds", "move_messages_between_streams_limit_seconds"],
  ...["message_retention_days", "waiting_period_threshold", "digest_weekday", "org_type", "video_chat_provider"],
  ...["jitsi_server_url", "giphy_rating", "allow_message_editing", "enable_read_receipts", "inline_image_preview"],
  ...["inline_url_embed_preview", "invite_required", "emails_restricted_to_domains"],
  ...["disallow_disposable_email_addresses", "email_changes_disabled", "name_changes_disabled"],
  ...["avatar_changes_disabled", "require_unique_names", "require_e2ee_push_notifications", "send_welcome_emails"],
  ...["message_content_allowed_in_email_notifications", "enable_spectator_access"],
  ...["want_advertise_in_communities_directory", "digest_emails_enabled", "enable_guest_user_dm_warning"],
  "enable_guest_user_indicator",
] as const;

/** The organization and its short tables. The channels that it names must be in their table already. */
export const realmPhase: Phase = async (_, context) => {
  const { lists, realm } = context;
  const { settings } = realm;
  const settingsByName: Readonly<Record<string, unknown>> = settings;
  await lists.add("zerver_realm", [
    {
      ...{ id: realmId, name: realm.name, string_id: realm.stringId, date_created: realm.createdAt },
      ...{ deactivated: realm.deactivatedAt !== undefined, plan_type: 1 },
      ...Object.fromEntries(realmColumns.map((name) => [name, settingsByName[name]])),
      topics_policy: topicsPolicyNumbers[settings.topics_policy],
      message_edit_history_visibility_policy: editHistoryPolicyNumbers[settings.message_edit_history_visibility_policy],
      ...(await groupIdsOf(settings, realmPermissions, context)),
      moderation_request_channel: await channelIdOf(settings.moderation_request_channel_id, context),
      new_stream_announcements_stream: await channelIdOf(settings.new_stream_announcements_stream_id, context),
      signup_announcements_stream: await channelIdOf(settings.signup_announcements_stream_id, context),
      zulip_update_announcements_stream: await channelIdOf(settings.zulip_update_announcements_stream_id, context),
      ...{ icon_source: realm.iconFile === undefined ? "G" : "U", icon_version: 1 },
      ...{ logo_source: realm.logoFile === undefined ? "D" : "U", logo_version: 1 },
      ...{ night_logo_source: realm.nightLogoFile === undefined ? "D" : "U", night_logo_version: 1 },
    },
  ]);
  // By mail everybody can choose a password, as the archive has none. Identity providers must be configured anew.
  await lists.add("zerver_realmauthenticationmethod", [{ realm: realmId, name: "Email" }]);
  await lists.add("zerver_presencesequence", [{ realm: realmId, last_update_id: 0 }]);
  const { timezone: _timezone, ...defaults } = toSettingColumns(effectiveUserSettings(realm.userDefaults ?? {}));
  await lists.add("zerver_realmuserdefault", [{ realm: realmId, ...defaults }]);
  const [channels, channelGroups, domains, linkifiers, playgrounds, fields] = await Promise.all([
    listChannels(),
    readShortList(defaultStreamGroupsKey),
    readShortList(realmDomainsKey),
    readLinkifiers(),
    readShortList(playgroundsKey),
    readShortList(profileFieldsKey),
  ]);
  const streams = await lists.ids("zerver_stream");
  const defaultIds = channels.filter(({ id, isDefault }) => isDefault && streams.has(id)).map(({ id }) => id);
  await lists.add(
    "zerver_defaultstream",
    defaultIds.map((stream) => ({ realm: realmId, stream })),
  );
  await lists.add(
    "zerver_defaultstreamgroup",
    channelGroups.entries.map(({ id, name, description, channelIds }) => ({
      ...{ id, realm: realmId, name, description, streams: channelIds.filter((channelId) => streams.has(channelId)) },
    })),
  );
  await lists.add(
    "zerver_realmdomain",
    domains.entries.map(({ id, domain, allowSubdomains }) => ({
      ...{ id, realm: realmId, domain, allow_subdomains: allowSubdomains },
    })),
  );
  await lists.add(
    "zerver_realmfilter",
    linkifiers.linkifiers.map(({ id, pattern, urlTemplate }, order) => ({
      ...{ id, realm: realmId, pattern, url_template: urlTemplate, order },
    })),
  );
  await lists.add(
    "zerver_realmplayground",
    playgrounds.entries.map(({ id, name, language, urlTemplate }) => ({
      ...{ id, realm: realmId, name, pygments_language: language, url_template: urlTemplate },
    })),
  );
  await lists.add(
    "zerver_customprofilefield",
    fields.entries.map(({ id, name, hint, type, data, inSummary, required, editableByUser }, index) => ({
      ...{ id, realm: realmId, name, hint, field_type: type, field_data: data, order: index + 1 },
      ...{ display_in_profile_summary: inSummary, required, editable_by_user: editableByUser },
    })),
  );
  return {};
};
