import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { isUnseen, nameKey } from "../../base/name-key.ts";
import { int, lengthOf, list, strictObject, text, type Value } from "../../base/schema/params.ts";
import { type Caller, isGuest } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Channel } from "../../store/channels/channels.ts";
import { eventForMembers } from "../../store/log/entry.ts";
import { type Change, type ChangePart, noChange } from "../../store/log/log.ts";
import {
  type DefaultStreamGroup,
  defaultStreamGroupsKey,
  putShortList,
  readShortList,
  shortListChange,
} from "../../store/organization/short-lists.ts";
import { listAccessByName } from "../channels/channel-access.ts";
import { maySubscribe } from "../channels/rules.ts";

/** The default channel group object: channels that people can choose when they join. */
export const defaultStreamGroupObject = strictObject({
  id: int(),
  name: text(),
  description: text(),
  streams: list(int()),
});
type DefaultStreamGroupObject = Value<typeof defaultStreamGroupObject>;

/** Converts all groups to the objects in replies and events, sorted by name. */
const toDefaultStreamGroupsWire = (groups: readonly DefaultStreamGroup[]): DefaultStreamGroupObject[] =>
  groups
    .map(({ channelIds, ...group }) => ({ ...group, streams: channelIds.toSorted((a, b) => a - b) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** `realm_default_stream_groups` of the initial state; empty for guests. 1 read unit. */
export const defaultStreamGroupsState = async (caller: Pick<Caller, "role">): Promise<DefaultStreamGroupObject[]> =>
  isGuest(caller) ? [] : toDefaultStreamGroupsWire((await readShortList(defaultStreamGroupsKey)).entries);

const maxGroupNameLength = 60;
export const maxGroupDescriptionLength = 1024;

/** All of them are stored in one item, and DynamoDB limits an item to 400 KB. */
const maxBytes = 300_000;

/** Returns the named channels. Throws unless the caller may read their messages. */
export async function accessNamedChannels(caller: Caller, names: readonly string[], realm: Realm): Promise<Channel[]> {
  const uniqueNames = [...new Set(names.map((name) => name.trim()))];
  const accesses = await listAccessByName(caller, uniqueNames, realm);
  return accesses.map((access, index) => {
    if (!access || !maySubscribe(access)) throw badRequest(`Invalid channel name '${uniqueNames[index]}'`);
    return access.channel;
  });
}

/** The change that creates a default channel group. Refuses channels that are default channels already. */
export async function addDefaultStreamGroup(
  fields: { name: string; description: string },
  channels: readonly Channel[],
): Promise<Change> {
  const list = await readShortList(defaultStreamGroupsKey);
  checkNoneDefault(channels, fields.name);
  const id = list.lastId + 1;
  const channelIds = channels.map((channel) => channel.id);
  const entries = [...list.entries, checkNewGroup({ id, ...fields, channelIds }, list.entries)];
  return shortListChange(defaultStreamGroupsKey, list, { ...groupsChange(entries), lastId: id });
}

/** The group, unless its name is too long or taken, or there are too many. */
export function checkNewGroup(group: DefaultStreamGroup, others: readonly DefaultStreamGroup[]): DefaultStreamGroup {
  checkName(group.name, others);
  if (others.length >= creationLimits.defaultChannelGroup.max) throw badRequest(tooMany("defaultChannelGroup"));
  return group;
}

interface GroupChange {
  name: string | undefined;
  description: string | undefined;
}

/** The change of a group's name or description, at least one of them. */
export async function changeDefaultStreamGroup(
  id: number,
  { name, description }: GroupChange,
): Promise<Change | undefined> {
  if (!name && !description) throw badRequest('You must pass "new_description" or "new_group_name".');
  return changeGroup(id, (group, others) => {
    if (name === group.name) throw badRequest(`This default channel group is already named '${group.name}'`);
    if (name !== undefined) checkName(name, others);
    else if (description === group.description) return group;
    return { ...group, name: name ?? group.name, description: description ?? group.description };
  });
}

export const addChannelsTo = (id: number, channels: readonly Channel[]): Promise<Change | undefined> =>
  changeGroup(id, (group) => {
    checkNoneDefault(channels, group.name);
    const presentChannel = channels.find((channel) => group.channelIds.includes(channel.id));
    if (presentChannel)
      throw badRequest(`Channel '${presentChannel.name}' is already present in default channel group '${group.name}'`);
    if (channels.length === 0) return group;
    return { ...group, channelIds: [...group.channelIds, ...channels.map((channel) => channel.id)] };
  });

export const removeChannelsFrom = (id: number, channels: readonly Channel[]): Promise<Change | undefined> =>
  changeGroup(id, (group) => {
    const absentChannel = channels.find((channel) => !group.channelIds.includes(channel.id));
    if (absentChannel)
      throw badRequest(`Channel '${absentChannel.name}' is not present in default channel group '${group.name}'`);
    if (channels.length === 0) return group;
    const removedIds = new Set(channels.map((channel) => channel.id));
    return { ...group, channelIds: group.channelIds.filter((channelId) => !removedIds.has(channelId)) };
  });

export async function removeDefaultStreamGroup(id: number): Promise<Change> {
  const list = await readShortList(defaultStreamGroupsKey);
  const remainingGroups = list.entries.filter((group) => group.id !== id);
  if (remainingGroups.length === list.entries.length) throw noSuchGroup(id);
  return shortListChange(defaultStreamGroupsKey, list, groupsChange(remainingGroups));
}

/** The writes and events that remove a channel from all groups when it is archived; none if it is in no group. */
export async function groupsWithoutChannel(channelId: number): Promise<ChangePart> {
  const list = await readShortList(defaultStreamGroupsKey);
  if (!list.entries.some(({ channelIds }) => channelIds.includes(channelId))) return noChange;
  const entries = list.entries.map((group) => ({
    ...group,
    channelIds: group.channelIds.filter((id) => id !== channelId),
  }));
  return { writes: [putShortList(defaultStreamGroupsKey, list, { entries })], events: groupsChange(entries).events };
}

/** The groups that people can choose when they join, sorted by name. 1 read unit. */
export const listDefaultStreamGroups = async (): Promise<Pick<DefaultStreamGroup, "name" | "description">[]> =>
  toDefaultStreamGroupsWire((await readShortList(defaultStreamGroupsKey)).entries);

/** The channels of the groups that a new user has chosen by name. */
export async function channelsOfGroups(names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const { entries } = await readShortList(defaultStreamGroupsKey);
  const chosenGroups = names.map((name) => {
    const group = entries.find((each) => each.name === name);
    if (!group) throw badRequest(`Invalid default channel group ${name}`);
    return group;
  });
  return [...new Set(chosenGroups.flatMap(({ channelIds }) => channelIds))];
}

/** The change of one of the groups; undefined if `edit` returns the group itself. */
async function changeGroup(
  id: number,
  edit: (group: DefaultStreamGroup, others: readonly DefaultStreamGroup[]) => DefaultStreamGroup,
): Promise<Change | undefined> {
  const list = await readShortList(defaultStreamGroupsKey);
  const before = list.entries.find((group) => group.id === id);
  if (!before) throw noSuchGroup(id);
  const others = list.entries.filter((group) => group !== before);
  const after = edit(before, others);
  if (after === before) return undefined;
  const entries = list.entries.map((group) => (group === before ? after : group));
  return shortListChange(defaultStreamGroupsKey, list, groupsChange(entries));
}

function groupsChange(entries: DefaultStreamGroup[]) {
  if (Buffer.byteLength(JSON.stringify(entries)) > maxBytes)
    throw badRequest("The default channel groups of an organization take too much space.");
  const event = { type: "default_stream_groups" as const, default_stream_groups: toDefaultStreamGroupsWire(entries) };
  return { entries, events: [eventForMembers(event)] };
}

function checkName(name: string, others: readonly DefaultStreamGroup[]): void {
  if (isUnseen(name)) throw badRequest(`Invalid default channel group name '${name}'`);
  if (lengthOf(name) > maxGroupNameLength)
    throw badRequest(`Default channel group name too long (limit: ${maxGroupNameLength} characters)`);
  if (others.some((group) => nameKey(group.name) === nameKey(name)))
    throw badRequest(`Default channel group '${name}' already exists`);
}

function checkNoneDefault(channels: readonly Channel[], groupName: string): void {
  const defaultChannel = channels.find(({ isDefault }) => isDefault);
  if (defaultChannel)
    throw badRequest(`'${defaultChannel.name}' is a default channel and cannot be added to '${groupName}'`);
}

const noSuchGroup = (id: number) => badRequest(`Default channel group with id '${id}' does not exist.`);
