import { webPublicChannelsEnabled } from "../../base/environment.ts";
import { badRequest, channelAlreadyExists, insufficientPermission, unauthorizedPrincipal } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Need } from "../../base/needs.ts";
import type { Values } from "../../base/schema/params.ts";
import { nobody } from "../../base/schema/system-groups.ts";
import { checkDescription, checkName } from "../../base/schema/text.ts";
import { type creationParams, retentionDays } from "../../core/channels/params.ts";
import { checkGroupSettings } from "../../core/user-groups/settings.ts";
import { type Caller, isAdministrator, isOwner } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { channelPermissionRules } from "../../services/permissions/permission-rules.ts";
import { findChannelFolder } from "../../store/channels/channel-folders.ts";
import { type ChannelPermissions, channelPermissionNames, findChannelIdByName } from "../../store/channels/channels.ts";
import type { ChannelSettings } from "./create.ts";

export type CreationParams = Values<typeof creationParams>;

export const checkChannelName = (text: string): string => checkName(text, "channel name", limits.channelNameLength);

/** Refuses the name of an existing channel. If two are created at once, a condition of the transaction refuses the second. */
async function checkChannelNameFree(name: string): Promise<void> {
  if ((await findChannelIdByName(name)) !== undefined) throw channelAlreadyExists(name);
}

/** That the name of a new channel is free. */
export const freeName: Need<void, { params: { name: string } }> = {
  early: (sent) => findChannelIdByName((sent("name") ?? "").trim()),
  load: ({ params }) => checkChannelNameFree(checkChannelName(params.name)),
};

/** Makes the description one line. */
export const checkChannelDescription = (text: string): string =>
  checkDescription(text.replaceAll("\n", " "), limits.channelDescriptionLength);

/** Checks that the caller may create channels with these settings, and returns them in stored form. */
export async function checkCreation(caller: Caller, params: CreationParams, realm: Realm): Promise<ChannelSettings> {
  const inviteOnly = params.invite_only;
  const isWebPublic = params.is_web_public;
  if (inviteOnly && isWebPublic) throw badRequest("Invalid parameters");
  if (params.is_default_stream && inviteOnly) throw badRequest("A default channel cannot be private.");
  if (params.is_default_stream && !isAdministrator(caller)) throw insufficientPermission();
  await checkMaySetPrivacy(caller, { inviteOnly, isWebPublic }, realm);
  const messageRetentionDays = retentionDays(params.message_retention_days);
  if (messageRetentionDays !== null && !isOwner(caller)) throw unauthorizedPrincipal("owner");
  if (params.topics_policy !== "inherit") await checkMaySetTopicsPolicy(caller, realm);
  if (params.folder_id !== undefined) await checkFolder(params.folder_id);
  const requested = Object.fromEntries(channelPermissionNames.map((name) => [name, params[name]]));
  const permissions = (await checkGroupSettings(
    caller,
    requested,
    channelPermissionRules,
  )) as Partial<ChannelPermissions>;
  await checkMaySetDeletion(caller, permissions, realm);
  return {
    inviteOnly,
    isWebPublic,
    isDefault: params.is_default_stream,
    historyPublicToSubscribers: !inviteOnly || (params.history_public_to_subscribers ?? false),
    messageRetentionDays,
    topicsPolicy: params.topics_policy,
    folderId: params.folder_id ?? null,
    permissions,
  };
}

/** Checks that the caller may create a channel with this privacy, or change one to it. */
export async function checkMaySetPrivacy(
  caller: Caller,
  { inviteOnly, isWebPublic }: { inviteOnly: boolean; isWebPublic: boolean },
  { settings }: Realm,
): Promise<void> {
  if (isWebPublic && !(webPublicChannelsEnabled() && settings.enable_spectator_access))
    throw badRequest("Web-public channels are not enabled.");
  const requiredPermissions = inviteOnly
    ? [settings.can_create_private_channel_group]
    : isWebPublic
      ? [settings.can_create_public_channel_group, settings.can_create_web_public_channel_group]
      : [settings.can_create_public_channel_group];
  for (const value of requiredPermissions)
    if (!(await hasPermission(caller, value, settings))) throw insufficientPermission();
}

export async function checkMaySetTopicsPolicy(caller: Caller, { settings }: Realm): Promise<void> {
  if (!(await hasPermission(caller, settings.can_set_topics_policy_group, settings))) throw insufficientPermission();
}

/** Checks that a channel may be put into a folder: it must exist and not be archived. */
export async function checkFolder(id: number): Promise<void> {
  const folder = await findChannelFolder(id);
  if (!folder || folder.isArchived) throw badRequest("Invalid channel folder ID");
}

/** Checks that the caller may let the groups in these permissions delete messages. */
export async function checkMaySetDeletion(
  caller: Caller,
  { can_delete_any_message_group: any, can_delete_own_message_group: own }: Partial<ChannelPermissions>,
  { settings }: Realm,
): Promise<void> {
  if ((any ?? nobody) === nobody && (own ?? nobody) === nobody) return;
  if (!(await hasPermission(caller, settings.can_set_delete_message_policy_group, settings)))
    throw insufficientPermission();
}

/** What an endpoint that subscribes without these parameters passes instead. */
export const defaultCreationParams: CreationParams & { authorization_errors_fatal: boolean; notifyUsers: boolean } = {
  announce: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  topics_policy: "inherit",
  send_new_subscription_messages: true,
  authorization_errors_fatal: true,
  notifyUsers: false,
};
