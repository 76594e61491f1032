import { eventForUser } from "../store/log/entry.ts";
import { changeShortList, type NavigationView, navigationViewsKey } from "../store/organization/short-lists.ts";
import { checkViewAgainstOthers, checkViewName, noSuchView } from "./rules.ts";
import { toNavigationViewWire } from "./wire.ts";

export const addNavigationView = (userId: number, view: NavigationView): Promise<void> =>
  changeShortList(navigationViewsKey(userId), ({ entries }) => {
    checkViewAgainstOthers(view, entries);
    const event = eventForUser(userId, {
      type: "navigation_view",
      op: "add",
      navigation_view: toNavigationViewWire(view),
    });
    return { entries: [...entries, view], events: [event] };
  });

/** Changes the given fields of a view. Writes nothing and sends no event if nothing changes. */
export const editNavigationView = (
  userId: number,
  fragment: string,
  change: Partial<Pick<NavigationView, "isPinned" | "name">>,
): Promise<void> =>
  changeShortList(navigationViewsKey(userId), ({ entries }) => {
    const before = entries.find((view) => view.fragment === fragment);
    if (!before) throw noSuchView();
    const others = entries.filter((view) => view !== before);
    const after = { ...before, ...change };
    if (change.name !== undefined) checkViewName(after);
    checkViewAgainstOthers(after, others);
    const data = {
      ...(after.isPinned !== before.isPinned && { is_pinned: after.isPinned }),
      ...(after.name !== before.name && { name: after.name }),
    };
    const events =
      Object.keys(data).length > 0
        ? [eventForUser(userId, { type: "navigation_view", op: "update", fragment, data })]
        : [];
    return { entries: entries.map((view) => (view === before ? after : view)), events };
  });

export const removeNavigationView = (userId: number, fragment: string): Promise<void> =>
  changeShortList(navigationViewsKey(userId), ({ entries }) => {
    const remainingViews = entries.filter((view) => view.fragment !== fragment);
    if (remainingViews.length === entries.length) throw noSuchView();
    return {
      entries: remainingViews,
      events: [eventForUser(userId, { type: "navigation_view", op: "remove", fragment })],
    };
  });
