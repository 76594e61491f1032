import { navigationViewsKey, readShortList } from "../store/short-lists.ts";
import type { Caller } from "../users/caller.ts";
import { wireNavigationView } from "./wire.ts";

/** What a client that registers is told of the caller's navigation views. */
export const navigationViewsState = async (caller: Pick<Caller, "id">) => ({
  navigation_views: (await readShortList(navigationViewsKey(caller.id))).entries.map(wireNavigationView),
});
