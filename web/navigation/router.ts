import { computed, signal } from "@preact/signals";
import { sessionSignal } from "../session/session.ts";
import { channels, settings } from "../session/store.ts";
import type { Narrow } from "../state/narrow.ts";
import { type Destination, formatRoute, homeOf, parseRoute, type Route } from "./address.ts";
import { hasFormerView, noteEntry } from "./places.ts";

/** The URL fragment whose view is shown: another object each time that a view is to be shown, also if it is the same. */
const shown = signal({ hash: location.hash });
const homeSetting = computed(() => settings.value?.web_home_view);
/** The view with which the user chose to start. */
export const home = computed(() => homeOf(homeSetting.value));
/** The view that the page's URL names. */
export const route = computed((): Route => parseRoute(shown.value.hash, () => home.value));
/** Whether the sidebar is open on a phone. */
export const sidebarOpen = sessionSignal(false);
/** Whether the list of people is open on a phone. */
export const peopleOpen = sessionSignal(false);

/** Counts how often the user has navigated: what is open over the page closes then. */
export const navigations = signal(0);

noteEntry();

/** Shows the view that the URL names, with `fresh` as it opens rather than as it was left. */
function showAddress(options?: { fresh: boolean }): void {
  noteEntry(options);
  shown.value = { hash: location.hash };
  sidebarOpen.value = false;
  peopleOpen.value = false;
}

addEventListener("hashchange", () => {
  if (location.hash === shown.peek().hash) return;
  showAddress();
  navigations.value++;
});

/** The URL fragment of a view, for links. What has one is rendered again when channels change, not with each event. */
export const linkTo = (target: Destination): string => formatRoute(target, { channels: channels.value ?? new Map() });

export const linkToNarrow = (narrow: Narrow, near?: number) =>
  linkTo({ kind: "narrow", narrow, ...(near !== undefined && { near }) });

/** Shows a view at once, also if the URL names it already: for example, scrolls to its message again. */
export function go(target: Destination): void {
  followTo(target);
  navigations.value++;
}

/** Shows a view because what the user sees has moved there: what they have open stays open, with what they have typed in it. */
export function followTo(target: Destination): void {
  const address = linkTo(target);
  if (location.hash !== address) location.hash = address;
  showAddress({ fresh: true });
}

export const goToNarrow = (narrow: Narrow, near?: number) =>
  go({ kind: "narrow", narrow, ...(near !== undefined && { near }) });

/** Shows the view before; if there is none, the one with which the user chose to start. */
export function goBack(): void {
  if (hasFormerView()) history.back();
  else go(home.peek());
}
