import { signal } from "@preact/signals";
import { type Destination, formatRoute, parseRoute, type Route } from "../../lib/address.ts";
import { state } from "../../session.ts";
import type { Narrow } from "../../state/narrow.ts";

/** The view that the page's URL names. */
export const route = signal<Route>(parseRoute(location.hash));
/** Whether the sidebar is open on a phone. */
export const sidebarOpen = signal(false);
/** Whether the list of people is open on a phone. */
export const peopleOpen = signal(false);

/** The URL fragment of the view that `route` names. */
let shownHash = location.hash;

function showAddress(): void {
  shownHash = location.hash;
  route.value = parseRoute(shownHash);
  sidebarOpen.value = false;
  peopleOpen.value = false;
}

addEventListener("hashchange", () => {
  if (location.hash !== shownHash) showAddress();
});

/** The URL fragment of a view, for links. */
export const linkTo = (target: Destination): string => formatRoute(target, state.value ?? { channels: new Map() });

export const linkToNarrow = (narrow: Narrow, near?: number) =>
  linkTo({ kind: "narrow", narrow, ...(near !== undefined && { near }) });

/** Shows a view at once, also if the URL names it already: for example, scrolls to its message again. */
export function go(target: Destination): void {
  const address = linkTo(target);
  if (location.hash !== address) location.hash = address;
  showAddress();
}

export const goToNarrow = (narrow: Narrow, near?: number) =>
  go({ kind: "narrow", narrow, ...(near !== undefined && { near }) });
