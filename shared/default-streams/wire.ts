import { type Caller, isGuest } from "../identity/caller.ts";
import { int, list, strictObject, text, type Value } from "../schema/params.ts";
import { type DefaultStreamGroup, defaultStreamGroupsKey, readShortList } from "../store/organization/short-lists.ts";

/** The default channel group object: channels that people can choose when they join. */
export const defaultStreamGroupObject = strictObject({
  id: int(),
  name: text(),
  description: text(),
  streams: list(int()),
});
export type DefaultStreamGroupObject = Value<typeof defaultStreamGroupObject>;

/** Converts all groups to the objects in replies and events, sorted by name. */
export const toDefaultStreamGroupsWire = (groups: readonly DefaultStreamGroup[]): DefaultStreamGroupObject[] =>
  groups
    .map(({ channelIds, ...group }) => ({ ...group, streams: channelIds.toSorted((a, b) => a - b) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** `realm_default_stream_groups` of the initial state; empty for guests. 1 read unit. */
export const defaultStreamGroupsState = async (caller: Pick<Caller, "role">): Promise<DefaultStreamGroupObject[]> =>
  isGuest(caller) ? [] : toDefaultStreamGroupsWire((await readShortList(defaultStreamGroupsKey)).entries);
