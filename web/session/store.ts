import { computed } from "@preact/signals";
import { languageLoaded, serverLanguages } from "../base/languages/language.ts";
import { twentyFourHours } from "../base/lib/time.ts";
import type { ServerEvent } from "../state/events/handler.ts";
import { type Action, applyAction, applyEvents } from "../state/events/reducer.ts";
import type { State } from "../state/model.ts";
import type { Narrow } from "../state/narrow.ts";
import { currentSession, perSession, sessionSignal } from "./session.ts";

/** The state of the current session, what views read of it, and the events that change it. All state changes go through here. */

export const state = sessionSignal<State | undefined>(undefined);
/** The narrows that are on the screen. */
export const openNarrows = sessionSignal<readonly Narrow[]>([]);
/** The message at the top of the screen, which events leave in its list; undefined while the list follows the newest ones. */
export const firstOnScreen = sessionSignal<number | undefined>(undefined);
/** Increases with each registration, which invalidates everything that was fetched before. */
export const registrations = sessionSignal(0);

/** A slice of the state that changes only when that slice does. */
export const slice = <T>(select: (state: State) => T) =>
  computed(() => (state.value === undefined ? undefined : select(state.value)));

export const users = slice(({ users }) => users);
export const channels = slice(({ channels }) => channels);
export const subscriptions = slice(({ subscriptions }) => subscriptions);
export const unread = slice(({ unread }) => unread);
export const statuses = slice(({ statuses }) => statuses);
export const starred = slice(({ starred }) => starred);
export const unseenSteps = slice(({ unseenSteps }) => unseenSteps);
export const realm = slice(({ realm }) => realm);
export const settings = slice(({ settings }) => settings);
export const realmEmoji = slice(({ realmEmoji }) => realmEmoji);
export const mutedUsers = slice(({ mutedUsers }) => mutedUsers);
export const topicPolicies = slice(({ topicPolicies }) => topicPolicies);
export const ownUserId = slice(({ userId }) => userId);
export const ownUser = computed(() => users.value?.get(ownUserId.value ?? 0));

type EventListener = (events: readonly ServerEvent[], before: State) => void;
const listeners = perSession(() => new Set<EventListener>());
/** Calls `listener` with each batch of events of the session after it was applied; returns a function that unsubscribes. */
export function onEvents(listener: EventListener): () => void {
  const listening = listeners();
  listening.add(listener);
  return () => void listening.delete(listener);
}

export function dispatch(action: Action): void {
  if (state.value) state.value = applyAction(state.value, action);
}

/** The current state, without subscribing to it. */
export const currentState = (): State => {
  const current = state.peek();
  if (!current) throw new Error("Nobody is signed in");
  return current;
};

/** Makes a snapshot of the server the state. Nothing is changed if the session has ended meanwhile. */
export async function setRegistered(registered: State): Promise<void> {
  const session = currentSession();
  const next = { ...registered, restarts: state.peek()?.restarts ?? 0 };
  applyLocaleOf(next);
  // Otherwise the page would be in another language for a moment.
  await languageLoaded();
  // Making the state of a large organization takes long, and so does showing it: something else may run in between.
  await new Promise((resolve) => setTimeout(resolve));
  if (currentSession() !== session) return;
  state.value = next;
  registrations.value = registrations.peek() + 1;
}

/** How the user wants to read texts and times. */
function applyLocaleOf({ settings, realm }: State): void {
  twentyFourHours.value = settings.twenty_four_hour_time ?? null;
  serverLanguages.value = { account: settings.default_language, organization: realm.realm_default_language };
}

/** Applies events to the state and passes them to the listeners. */
export function receive(batch: readonly ServerEvent[]): void {
  const before = state.peek();
  if (!before || batch.length === 0) return;
  const events = batch.filter((event) => typeof event === "object" && event !== null);
  const after = applyEvents(before, events, openNarrows.peek(), Date.now(), firstOnScreen.peek());
  applyLocaleOf(after);
  state.value = after;
  for (const listener of listeners())
    try {
      listener(events, before);
    } catch (error) {
      console.error("A listener of events failed:", error);
    }
  // Without a higher ID, the next request would return the same events at once, and so on.
  if (after.lastEventId === before.lastEventId) throw new Error("No event has an ID");
}
