import { type Caller, isGuest } from "../identity/caller.ts";
import { exactly, int, list, text, type Value } from "../schema/params.ts";
import { type DefaultStreamGroup, defaultStreamGroupsKey, readShortList } from "../store/organization/short-lists.ts";

/** A group of channels that a person who joins may choose, as clients are told of it. */
export const defaultStreamGroupObject = exactly({ id: int(), name: text(), description: text(), streams: list(int()) });
export type DefaultStreamGroupObject = Value<typeof defaultStreamGroupObject>;

/** All groups as clients are told of them: sorted by name. */
export const wireDefaultStreamGroups = (groups: readonly DefaultStreamGroup[]): DefaultStreamGroupObject[] =>
  groups
    .map(({ channelIds, ...group }) => ({ ...group, streams: channelIds.toSorted((a, b) => a - b) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** `realm_default_stream_groups`; guests are told of none. 1 read unit. */
export const defaultStreamGroupsState = async (caller: Pick<Caller, "role">): Promise<DefaultStreamGroupObject[]> =>
  isGuest(caller) ? [] : wireDefaultStreamGroups((await readShortList(defaultStreamGroupsKey)).entries);
