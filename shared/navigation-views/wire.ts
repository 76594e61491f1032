import type { Caller } from "../identity/caller.ts";
import { bool, nullable, strictObject, text, type Value } from "../schema/params.ts";
import { type NavigationView, navigationViewsKey, readShortList } from "../store/organization/short-lists.ts";

/** The navigation view object; see https://zulip.com/api/get-navigation-views. */
export const navigationViewObject = strictObject({ fragment: text(), is_pinned: bool(), name: nullable(text()) });

export const toNavigationViewWire = ({
  fragment,
  isPinned,
  name,
}: NavigationView): Value<typeof navigationViewObject> => ({ fragment, is_pinned: isPinned, name });

export const navigationViewsState = async (caller: Pick<Caller, "id">) => ({
  navigation_views: (await readShortList(navigationViewsKey(caller.id))).entries.map(toNavigationViewWire),
});
