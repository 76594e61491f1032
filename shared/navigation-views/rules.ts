import { badRequest, notFound } from "../errors.ts";
import type { NavigationView } from "../store/organization/short-lists.ts";

/** The maximum number of views of a user. Limited because every client receives all of them. */
const maxViews = 100;

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
export function checkViewAgainstOthers(view: NavigationView, others: readonly NavigationView[]): void {
  if (others.some(({ fragment }) => fragment === view.fragment)) throw badRequest("Navigation view already exists.");
  if (view.name !== null && others.some(({ name }) => name === view.name))
    throw badRequest("Navigation view with this name already exists.");
  if (others.length >= maxViews) throw badRequest(`You can have at most ${maxViews} navigation views.`);
}

export const noSuchView = () => notFound("Navigation view does not exist.");
