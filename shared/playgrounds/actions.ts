import { badRequest } from "../errors.ts";
import type { LoggedEvent } from "../store/log/entry.ts";
import { changeShortList, type Playground, playgroundsKey } from "../store/organization/short-lists.ts";
import { checkPlaygroundAgainstOthers } from "./rules.ts";
import { toPlaygroundWire } from "./wire.ts";

const playgroundsEvent = (playgrounds: readonly Playground[]): LoggedEvent => ({
  audience: { kind: "everyone" },
  event: { type: "realm_playgrounds", realm_playgrounds: playgrounds.map(toPlaygroundWire) },
});

export const addPlayground = (fields: Omit<Playground, "id">): Promise<number> =>
  changeShortList(playgroundsKey, (list) => {
    checkPlaygroundAgainstOthers(fields, list.entries);
    const id = list.lastId + 1;
    const entries = [...list.entries, { id, ...fields }];
    return { entries, lastId: id, events: [playgroundsEvent(entries)], result: id };
  });

export const removePlayground = (id: number): Promise<void> =>
  changeShortList(playgroundsKey, (list) => {
    const entries = list.entries.filter((playground) => playground.id !== id);
    if (entries.length === list.entries.length) throw badRequest("Invalid playground");
    return { entries, events: [playgroundsEvent(entries)] };
  });
