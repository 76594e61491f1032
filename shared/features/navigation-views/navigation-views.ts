import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest, notFound } from "../../base/errors.ts";
import { bool, nullable, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import {
  type NavigationView,
  navigationViewsKey,
  readShortList,
  shortListChange,
} from "../../store/organization/short-lists.ts";

/** Views built into clients: they can be pinned, but not renamed. */
const builtInFragments = new Set([
  "inbox",
  "recent",
  "feed",
  "drafts",
  "scheduled",
  "reminders",
  "narrow/is/mentioned",
  "narrow/is/starred",
  "narrow/has/reaction/sender/me",
]);

/** Refuses a built-in view with a name, or a custom view without one. */
export function checkViewName({ fragment, name }: Pick<NavigationView, "fragment" | "name">): void {
  if (builtInFragments.has(fragment)) {
    if (name !== null) throw badRequest("Built-in views cannot have a custom name.");
  } else if (name === null || name.trim() === "") throw badRequest("Custom views must have a valid name.");
}

/** Refuses a view that exists, a name in use, or more views than the limit. */
function checkViewAgainstOthers(view: NavigationView, others: readonly NavigationView[]): void {
  if (others.some(({ fragment }) => fragment === view.fragment)) throw badRequest("Navigation view already exists.");
  if (view.name !== null && others.some(({ name }) => name === view.name))
    throw badRequest("Navigation view with this name already exists.");
  if (others.length >= creationLimits.navigationView.max) throw badRequest(tooMany("navigationView"));
}

const noSuchView = () => notFound("Navigation view does not exist.");

/** The navigation view object; see https://zulip.com/api/get-navigation-views. */
export const navigationViewObject = strictObject({ fragment: text(), is_pinned: bool(), name: nullable(text()) });

const toNavigationViewWire = ({ fragment, isPinned, name }: NavigationView): Value<typeof navigationViewObject> => ({
  fragment,
  is_pinned: isPinned,
  name,
});

export const navigationViewsState = async (caller: Pick<Caller, "id">) => ({
  navigation_views: (await readShortList(navigationViewsKey(caller.id))).entries.map(toNavigationViewWire),
});

export async function addNavigationView(userId: number, view: NavigationView): Promise<Change> {
  const list = await readShortList(navigationViewsKey(userId));
  checkViewAgainstOthers(view, list.entries);
  const event = eventForUser(userId, {
    type: "navigation_view",
    op: "add",
    navigation_view: toNavigationViewWire(view),
  });
  return shortListChange(navigationViewsKey(userId), list, { entries: [...list.entries, view], events: [event] });
}

/** The change of the given fields of a view; undefined if nothing changes. */
export async function editNavigationView(
  userId: number,
  fragment: string,
  edit: Partial<Pick<NavigationView, "isPinned" | "name">>,
): Promise<Change | undefined> {
  const list = await readShortList(navigationViewsKey(userId));
  const before = list.entries.find((view) => view.fragment === fragment);
  if (!before) throw noSuchView();
  const others = list.entries.filter((view) => view !== before);
  const after = { ...before, ...edit };
  if (edit.name !== undefined) checkViewName(after);
  checkViewAgainstOthers(after, others);
  const data = {
    ...(after.isPinned !== before.isPinned && { is_pinned: after.isPinned }),
    ...(after.name !== before.name && { name: after.name }),
  };
  if (Object.keys(data).length === 0) return undefined;
  return shortListChange(navigationViewsKey(userId), list, {
    entries: list.entries.map((view) => (view === before ? after : view)),
    events: [eventForUser(userId, { type: "navigation_view", op: "update", fragment, data })],
  });
}

export async function removeNavigationView(userId: number, fragment: string): Promise<Change> {
  const list = await readShortList(navigationViewsKey(userId));
  const entries = list.entries.filter((view) => view.fragment !== fragment);
  if (entries.length === list.entries.length) throw noSuchView();
  const event = eventForUser(userId, { type: "navigation_view", op: "remove", fragment });
  return shortListChange(navigationViewsKey(userId), list, { entries, events: [event] });
}
