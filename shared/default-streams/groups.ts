import { listAccessByName } from "../channels/channel-access.ts";
import { maySubscribe } from "../channels/rules.ts";
import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import type { Realm } from "../organization/access.ts";
import { lengthOf } from "../schema/params.ts";
import type { Channel } from "../store/channels/channels.ts";
import { eventForMembers, type LoggedEvent } from "../store/log/entry.ts";
import {
  changeShortList,
  type DefaultStreamGroup,
  defaultStreamGroupsKey,
  putShortList,
  readShortList,
} from "../store/organization/short-lists.ts";
import type { Write } from "../store/table/writes.ts";
import { wireDefaultStreamGroups } from "./wire.ts";

export const maxGroupNameLength = 60;
export const maxGroupDescriptionLength = 1024;

/** Groups that one organization may have: each client is told of all, and whoever joins chooses among them. */
const maxGroups = 100;
/** All of them are one item of the table, which takes 400 KB. */
const maxBytes = 300_000;

/** The channels of some names, whose messages the caller may read. */
export async function accessNamedChannels(caller: Caller, names: readonly string[], realm: Realm): Promise<Channel[]> {
  const wanted = [...new Set(names.map((name) => name.trim()))];
  const standings = await listAccessByName(caller, wanted, realm);
  return standings.map((standing, index) => {
    if (!standing || !maySubscribe(standing)) throw badRequest(`Invalid channel name '${wanted[index]}'`);
    return standing.channel;
  });
}

/** Adds a group of channels, none of which may be one with which everybody starts. */
export const addGroup = (wanted: { name: string; description: string }, channels: readonly Channel[]): Promise<void> =>
  changeShortList(defaultStreamGroupsKey, ({ entries, lastId }) => {
    checkNoneDefault(channels, wanted.name);
    checkName(wanted.name, entries);
    if (entries.length >= maxGroups)
      throw badRequest(`An organization can have at most ${maxGroups} default channel groups.`);
    const id = lastId + 1;
    return {
      ...toldOf([...entries, { id, ...wanted, channelIds: channels.map((channel) => channel.id) }]),
      lastId: id,
    };
  });

interface GroupChange {
  name: string | undefined;
  description: string | undefined;
}

/** Changes a group's name or description, of which one must be given. */
export async function changeGroup(id: number, { name, description }: GroupChange): Promise<void> {
  if (!name && !description) throw badRequest('You must pass "new_description" or "new_group_name".');
  await changeGroups(id, (group, others) => {
    if (name === group.name) throw badRequest(`This default channel group is already named '${group.name}'`);
    if (name !== undefined) checkName(name, others);
    else if (description === group.description) return group;
    return { ...group, name: name ?? group.name, description: description ?? group.description };
  });
}

export const addChannelsTo = (id: number, channels: readonly Channel[]): Promise<void> =>
  changeGroups(id, (group) => {
    checkNoneDefault(channels, group.name);
    const present = channels.find((channel) => group.channelIds.includes(channel.id));
    if (present)
      throw badRequest(`Channel '${present.name}' is already present in default channel group '${group.name}'`);
    if (channels.length === 0) return group;
    return { ...group, channelIds: [...group.channelIds, ...channels.map((channel) => channel.id)] };
  });

export const removeChannelsFrom = (id: number, channels: readonly Channel[]): Promise<void> =>
  changeGroups(id, (group) => {
    const absent = channels.find((channel) => !group.channelIds.includes(channel.id));
    if (absent) throw badRequest(`Channel '${absent.name}' is not present in default channel group '${group.name}'`);
    if (channels.length === 0) return group;
    const removed = new Set(channels.map((channel) => channel.id));
    return { ...group, channelIds: group.channelIds.filter((channelId) => !removed.has(channelId)) };
  });

export const removeGroup = (id: number): Promise<void> =>
  changeShortList(defaultStreamGroupsKey, ({ entries }) => {
    if (!entries.some((group) => group.id === id)) throw noSuchGroup(id);
    return toldOf(entries.filter((group) => group.id !== id));
  });

/** What is written and told when a channel leaves all groups, because it is archived: nothing where it is in none. */
export async function groupsWithoutChannel(channelId: number): Promise<{ writes: Write[]; events: LoggedEvent[] }> {
  const list = await readShortList(defaultStreamGroupsKey);
  if (!list.entries.some(({ channelIds }) => channelIds.includes(channelId))) return { writes: [], events: [] };
  const entries = list.entries.map((group) => ({
    ...group,
    channelIds: group.channelIds.filter((id) => id !== channelId),
  }));
  return { writes: [putShortList(defaultStreamGroupsKey, list, { entries })], events: toldOf(entries).events };
}

/** What somebody who joins can choose, sorted by name. 1 read unit. */
export const listDefaultStreamGroups = async (): Promise<Pick<DefaultStreamGroup, "name" | "description">[]> =>
  wireDefaultStreamGroups((await readShortList(defaultStreamGroupsKey)).entries);

/** The channels of the groups that somebody who joins has chosen by their names. */
export async function channelsOfGroups(names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const { entries } = await readShortList(defaultStreamGroupsKey);
  const chosen = names.map((name) => {
    const group = entries.find((each) => each.name === name);
    if (!group) throw badRequest(`Invalid default channel group ${name}`);
    return group;
  });
  return [...new Set(chosen.flatMap(({ channelIds }) => channelIds))];
}

/** Changes one of the groups; the same group returned changes nothing and tells nobody. */
const changeGroups = (
  id: number,
  change: (group: DefaultStreamGroup, others: readonly DefaultStreamGroup[]) => DefaultStreamGroup,
): Promise<void> =>
  changeShortList(defaultStreamGroupsKey, ({ entries }) => {
    const before = entries.find((group) => group.id === id);
    if (!before) throw noSuchGroup(id);
    const after = change(
      before,
      entries.filter((group) => group !== before),
    );
    if (after === before) return { entries, events: [], result: undefined };
    return toldOf(entries.map((group) => (group === before ? after : group)));
  });

function toldOf(entries: DefaultStreamGroup[]) {
  if (Buffer.byteLength(JSON.stringify(entries)) > maxBytes)
    throw badRequest("The default channel groups of an organization take too much space.");
  const event = { type: "default_stream_groups" as const, default_stream_groups: wireDefaultStreamGroups(entries) };
  return { entries, events: [eventForMembers(event)], result: undefined };
}

function checkName(name: string, others: readonly DefaultStreamGroup[]): void {
  if (name.trim() === "") throw badRequest(`Invalid default channel group name '${name}'`);
  if (lengthOf(name) > maxGroupNameLength)
    throw badRequest(`Default channel group name too long (limit: ${maxGroupNameLength} characters)`);
  if (others.some((group) => group.name === name)) throw badRequest(`Default channel group '${name}' already exists`);
}

function checkNoneDefault(channels: readonly Channel[], groupName: string): void {
  const standard = channels.find(({ isDefault }) => isDefault);
  if (standard) throw badRequest(`'${standard.name}' is a default channel and cannot be added to '${groupName}'`);
}

const noSuchGroup = (id: number) => badRequest(`Default channel group with id '${id}' does not exist.`);
