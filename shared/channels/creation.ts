import { badRequest, unauthorizedPrincipal } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import { channelPermissionRules } from "../groups/permission-rules.ts";
import { accessGroupSettings } from "../groups/settings.ts";
import { nobody } from "../groups/system.ts";
import { lengthOf, type Values } from "../http/params.ts";
import { checkCharacters } from "../messages/topics.ts";
import type { Realm } from "../organization/access.ts";
import { limits, webPublicChannelsEnabled } from "../settings.ts";
import { findChannelFolder } from "../store/channel-folders.ts";
import type { ChannelPermissions } from "../store/channels.ts";
import { type Caller, isAdministrator, isOwner } from "../users/caller.ts";
import type { NewChannel } from "./actions.ts";
import { type creationParams, permissionNames, retentionDays } from "./params.ts";

export type CreationParams = Values<typeof creationParams>;

/** A channel's name as it will be stored. */
export function checkChannelName(text: string): string {
  const name = text.trim();
  if (name === "") throw badRequest("Channel name can't be empty.");
  if (lengthOf(name) > limits.channelNameLength)
    throw badRequest(`Channel name too long (limit: ${limits.channelNameLength} characters).`);
  checkCharacters(name, "channel name");
  return name;
}

/** A channel's description as it will be stored: one line. */
export function checkChannelDescription(text: string): string {
  const description = text.replaceAll("\n", " ").trim().toWellFormed();
  if (lengthOf(description) > limits.channelDescriptionLength)
    throw badRequest(`description is too long (limit: ${limits.channelDescriptionLength} characters)`);
  if (description.includes("\0")) throw badRequest("Invalid character in description");
  return description;
}

/** Checks that the caller may create channels with these settings, which it brings into their stored form. */
export async function accessCreation(
  caller: Caller,
  params: CreationParams,
  realm: Realm,
): Promise<Omit<NewChannel, "name" | "description">> {
  const { settings } = realm;
  const inviteOnly = params.invite_only;
  const isWebPublic = params.is_web_public;
  if (inviteOnly && isWebPublic) throw badRequest("Invalid parameters");
  if (params.is_default_stream && inviteOnly) throw badRequest("A default channel cannot be private.");
  if (params.is_default_stream && !isAdministrator(caller)) throw insufficient();
  await checkKind(caller, { inviteOnly, isWebPublic }, realm);
  const messageRetentionDays = retentionDays(params.message_retention_days);
  if (messageRetentionDays !== null && !isOwner(caller)) throw unauthorizedPrincipal("owner");
  if (params.topics_policy !== "inherit") await checkMaySetTopicsPolicy(caller, realm);
  if (params.folder_id !== undefined) await checkFolder(params.folder_id);
  const given = Object.fromEntries(permissionNames.map((name) => [name, params[name]]));
  const permissions = (await accessGroupSettings(given, channelPermissionRules)) as Partial<ChannelPermissions>;
  if (
    [permissions.can_delete_any_message_group, permissions.can_delete_own_message_group].some(
      (value) => (value ?? nobody) !== nobody,
    )
  ) {
    if (!(await hasPermission(caller, settings.can_set_delete_message_policy_group, settings))) throw insufficient();
  }
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

export const insufficient = () => badRequest("Insufficient permission");

/** Whether the caller may have a channel of that kind: public, private or web-public. */
export async function checkKind(
  caller: Caller,
  { inviteOnly, isWebPublic }: { inviteOnly: boolean; isWebPublic: boolean },
  { settings }: Realm,
): Promise<void> {
  if (isWebPublic && !(webPublicChannelsEnabled() && settings.enable_spectator_access))
    throw badRequest("Web-public channels are not enabled.");
  const needed = inviteOnly
    ? [settings.can_create_private_channel_group]
    : isWebPublic
      ? [settings.can_create_public_channel_group, settings.can_create_web_public_channel_group]
      : [settings.can_create_public_channel_group];
  for (const value of needed) if (!(await hasPermission(caller, value, settings))) throw insufficient();
}

export async function checkMaySetTopicsPolicy(caller: Caller, { settings }: Realm): Promise<void> {
  if (!(await hasPermission(caller, settings.can_set_topics_policy_group, settings))) throw insufficient();
}

/** A folder that channels may be put into. */
export async function checkFolder(id: number): Promise<void> {
  const folder = await findChannelFolder(id);
  if (!folder || folder.isArchived) throw badRequest("Invalid channel folder ID");
}

/** The settings of a channel about which a request says nothing. */
export const startingCreation: CreationParams & { authorization_errors_fatal: boolean; telling: boolean } = {
  announce: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  topics_policy: "inherit",
  send_new_subscription_messages: true,
  authorization_errors_fatal: true,
  telling: false,
};
