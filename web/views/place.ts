import { signal } from "@preact/signals";
import { addressOf, type Place, placeOf } from "../lib/address.ts";
import { state } from "../session.ts";
import type { Narrow } from "../state/narrow.ts";

/** The view that the page's URL names. */
export const place = signal<Place>(placeOf(location.hash));
/** Whether the sidebar is open on a phone. */
export const sidebarOpen = signal(false);
export const peopleOpen = signal(false);

addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
  sidebarOpen.value = false;
  peopleOpen.value = false;
});

export const linkTo = (target: Place): string => addressOf(target, state.value ?? { channels: new Map() });

export const linkToNarrow = (narrow: Narrow, near?: number) =>
  linkTo({ kind: "narrow", narrow, ...(near !== undefined && { near }) });

export function go(target: Place): void {
  const address = linkTo(target);
  if (location.hash === address) place.value = placeOf(address);
  else location.hash = address;
}

export const goToNarrow = (narrow: Narrow, near?: number) =>
  go({ kind: "narrow", narrow, ...(near !== undefined && { near }) });
