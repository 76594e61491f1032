import type { LoggedEvent } from "../store/log.ts";
import { changeShortList, type NavigationView, navigationViewsKey } from "../store/short-lists.ts";
import { checkFits, checkViewName, noSuchView } from "./rules.ts";
import { wireNavigationView } from "./wire.ts";

const ownEvent = (userId: number, op: string, fields: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "navigation_view", op, ...fields },
});

export const addNavigationView = (userId: number, view: NavigationView): Promise<void> =>
  changeShortList(navigationViewsKey(userId), ({ entries }) => {
    checkFits(view, entries);
    const event = ownEvent(userId, "add", { navigation_view: wireNavigationView(view) });
    return { entries: [...entries, view], events: [event], result: undefined };
  });

/** Changes what is given of a view; nothing given, or nothing new, changes nothing and tells nobody. */
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
    checkFits(after, others);
    const data = {
      ...(after.isPinned !== before.isPinned && { is_pinned: after.isPinned }),
      ...(after.name !== before.name && { name: after.name }),
    };
    const events = Object.keys(data).length > 0 ? [ownEvent(userId, "update", { fragment, data })] : [];
    return { entries: entries.map((view) => (view === before ? after : view)), events, result: undefined };
  });

export const removeNavigationView = (userId: number, fragment: string): Promise<void> =>
  changeShortList(navigationViewsKey(userId), ({ entries }) => {
    const left = entries.filter((view) => view.fragment !== fragment);
    if (left.length === entries.length) throw noSuchView();
    return { entries: left, events: [ownEvent(userId, "remove", { fragment })], result: undefined };
  });
