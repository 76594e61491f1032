import { badRequest, channelAlreadyExists, unauthorizedPrincipal } from "../../base/errors.ts";
import type { ChannelAccessWithStats } from "../../core/channels/channel-access.ts";
import { retentionDays } from "../../core/channels/params.ts";
import { hasContentAccess, mayAdminister } from "../../core/channels/rules.ts";
import { checkGroupSettingUpdates, type GroupSettingUpdate } from "../../core/user-groups/settings.ts";
import { type Caller, isAdministrator, isOwner } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { channelPermissionRules } from "../../services/permissions/permission-rules.ts";
import {
  type Channel,
  type ChannelPermissions,
  channelPermissionNames,
  findChannelIdByName,
  type TopicsPolicy,
} from "../../store/channels/channels.ts";
import {
  checkChannelDescription,
  checkChannelName,
  checkFolder,
  checkMaySetDeletion,
  checkMaySetPrivacy,
  checkMaySetTopicsPolicy,
} from "./check-creation.ts";
import { renderDescription } from "./create.ts";
import { hasNamedTopics } from "./topics-policy.ts";

export interface ChannelEdit extends Partial<Record<keyof ChannelPermissions, GroupSettingUpdate | undefined>> {
  new_name?: string | undefined;
  description?: string | undefined;
  is_private?: boolean | undefined;
  is_web_public?: boolean | undefined;
  history_public_to_subscribers?: boolean | undefined;
  is_default_stream?: boolean | undefined;
  message_retention_days?: number | string | undefined;
  is_archived?: boolean | undefined;
  folder_id?: number | null | undefined;
  topics_policy?: TopicsPolicy | undefined;
}

/** Checks that the caller may make the requested changes, and returns those that differ from the channel. */
export async function checkChannelEdit(
  access: ChannelAccessWithStats,
  edit: ChannelEdit,
  realm: Realm,
): Promise<Partial<Channel>> {
  const { person: caller, channel } = access;
  if (!mayAdminister(access)) throw badRequest("You do not have permission to administer this channel.");
  const newValues: Partial<Channel> = {
    ...(edit.new_name !== undefined && { name: await checkNewName(channel, edit.new_name) }),
    ...(edit.description !== undefined && (await renderedDescriptionOf(edit.description, realm))),
    ...(await checkPrivacy(access, edit, realm)),
    ...(edit.message_retention_days !== undefined && {
      messageRetentionDays: checkRetention(caller, edit.message_retention_days),
    }),
    ...(edit.topics_policy !== undefined && {
      topicsPolicy: await checkTopicsPolicy(caller, channel, edit.topics_policy, realm),
    }),
    ...(edit.folder_id !== undefined && { folderId: await checkNewFolder(edit.folder_id) }),
    ...(edit.is_archived === false && { isArchived: checkUnarchiving(channel) }),
  };
  if (edit.is_default_stream !== undefined)
    newValues.isDefault = checkIsDefault(caller, { ...channel, ...newValues }, edit.is_default_stream);
  if ({ ...channel, ...newValues }.isDefault && newValues.inviteOnly)
    throw badRequest("A default channel cannot be private.");
  const permissions = await checkPermissions(access, edit, realm);
  const changed = Object.entries(newValues).filter(([name, value]) => channel[name as keyof Channel] !== value);
  return {
    ...Object.fromEntries(changed),
    ...(Object.keys(permissions).length > 0 && { permissions: { ...channel.permissions, ...permissions } }),
  };
}

async function checkNewName({ name: before, id }: Channel, text: string): Promise<string> {
  const name = checkChannelName(text);
  if (name === before) throw badRequest("Channel already has that name.");
  const holderId = await findChannelIdByName(name);
  if (holderId !== undefined && holderId !== id) throw channelAlreadyExists(name);
  return name;
}

async function renderedDescriptionOf(text: string, realm: Realm) {
  const description = checkChannelDescription(text);
  return { description, renderedDescription: await renderDescription(description, realm) };
}

/** Public and web-public channels always share their history; a channel made private protects it unless requested otherwise. */
async function checkPrivacy(
  access: ChannelAccessWithStats,
  edit: ChannelEdit,
  realm: Realm,
): Promise<Partial<Channel>> {
  const { channel, person } = access;
  const { is_private, is_web_public, history_public_to_subscribers: history } = edit;
  if (is_private === undefined && is_web_public === undefined && history === undefined) return {};
  if (!hasContentAccess(access)) throw contentAccessRequired();
  const inviteOnly = is_private ?? (is_web_public === true ? false : channel.inviteOnly);
  const isWebPublic = is_web_public ?? (is_private === true ? false : channel.isWebPublic);
  if (inviteOnly && isWebPublic) throw badRequest("Invalid parameters");
  if (inviteOnly !== channel.inviteOnly || (isWebPublic && !channel.isWebPublic))
    await checkMaySetPrivacy(person, { inviteOnly, isWebPublic }, realm);
  const sharesHistory = channel.inviteOnly && channel.historyPublicToSubscribers;
  return { inviteOnly, isWebPublic, historyPublicToSubscribers: !inviteOnly || (history ?? sharesHistory) };
}

const contentAccessRequired = () => badRequest("Channel content access is required.");

function checkRetention(caller: Caller, value: number | string): number | null {
  const days = retentionDays(value);
  if (!isOwner(caller)) throw unauthorizedPrincipal("owner");
  return days;
}

async function checkTopicsPolicy(caller: Caller, channel: Channel, policy: TopicsPolicy, realm: Realm) {
  if (policy === channel.topicsPolicy) return policy;
  await checkMaySetTopicsPolicy(caller, realm);
  if (policy === "empty_topic_only" && (await hasNamedTopics(channel.id)))
    throw badRequest(
      "To enable this configuration, all messages in this channel must be in the general chat topic. Consider renaming or deleting other topics.",
    );
  return policy;
}

async function checkNewFolder(id: number | null): Promise<number | null> {
  if (id !== null) await checkFolder(id);
  return id;
}

function checkUnarchiving(channel: Channel): false {
  if (!channel.isArchived) throw badRequest("Channel is not currently archived.");
  return false;
}

function checkIsDefault(caller: Caller, channel: Channel, isDefault: boolean): boolean {
  if (!isAdministrator(caller)) throw unauthorizedPrincipal("administrator");
  if (isDefault && channel.inviteOnly) throw badRequest("A default channel cannot be private.");
  return isDefault;
}

async function checkPermissions(
  access: ChannelAccessWithStats,
  edit: ChannelEdit,
  realm: Realm,
): Promise<Partial<ChannelPermissions>> {
  const { channel, person } = access;
  const requested = Object.fromEntries(channelPermissionNames.map((name) => [name, edit[name]]));
  const accessGrant = edit.can_add_subscribers_group ?? edit.can_subscribe_group;
  if (accessGrant && !hasContentAccess(access)) throw contentAccessRequired();
  const changed = (await checkGroupSettingUpdates(
    person,
    requested,
    channel.permissions,
    channelPermissionRules,
    realm.usersVersion,
  )) as Partial<ChannelPermissions>;
  await checkMaySetDeletion(person, changed, realm);
  return changed;
}
