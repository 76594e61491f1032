import { effect, signal, untracked } from "@preact/signals";
import {
  call,
  currentState,
  onEvents,
  registrations,
  retryOnceReachable,
  sessionEnd,
  state,
} from "../../session/session.ts";
import type { ServerEvent } from "../../state/events/handler.ts";
import { channelsIn, deletedIn, editedIn } from "../../state/events/message-events.ts";
import { list } from "../../state/readers.ts";
import { type RecentByKey, withMessages, withoutNewest, withTopics } from "../../state/recent-by-key.ts";
import { channelIdOf, messageOf } from "../../state/records.ts";

/**
 * The topics of channels, read or unread. A channel's topics are fetched when something first shows them, and events keep them
 * up to date.
 */

/** The topics of the channels that were fetched, by the channel's ID. */
export const topicsByChannel = signal<ReadonlyMap<number, RecentByKey>>(new Map());

/** The channels whose topics are shown somewhere; after another registration they are fetched again. */
const needed = new Set<number>();
const waiting: number[] = [];
const channelsToRefresh = new Set<number>();
/** The channels whose known topics are of an earlier registration. */
const outdated = new Set<number>();
let runningCalls = 0;
/** The registration for which the topics were fetched. */
let lastRegistration = 0;

/** How many channels are asked for their topics at the same time. */
const maxConcurrentCalls = 4;
/** Several events about a channel cause one call. */
const refreshDelayMs = 300;

/** The topics that were fetched and are not shown yet: many channels that arrive one by one are shown together. */
const arrived = new Map<number, RecentByKey>();
const arrivalDelayMs = 150;

const topicsIn = (channelId: number): RecentByKey =>
  arrived.get(channelId) ?? topicsByChannel.peek().get(channelId) ?? new Map();

function setTopics(channelId: number, topics: RecentByKey): void {
  if (arrived.has(channelId)) arrived.set(channelId, topics);
  else topicsByChannel.value = new Map(topicsByChannel.peek()).set(channelId, topics);
}

function showArrived(): void {
  if (arrived.size === 0) return;
  topicsByChannel.value = new Map([...topicsByChannel.peek(), ...arrived]);
  arrived.clear();
}

function addArrived(channelId: number, topics: RecentByKey): void {
  if (arrived.size === 0) setTimeout(showArrived, arrivalDelayMs);
  arrived.set(channelId, topics);
  if (waiting.length === 0) showArrived();
}

/** Fetches the topics of a channel, unless they were fetched before. */
export function needTopics(channelId: number): void {
  if (needed.has(channelId)) return;
  needed.add(channelId);
  enqueue(channelId);
}

/** The topics of a channel, the newest first: those that are known so far. */
export function topicsOf(channelId: number): string[] {
  needTopics(channelId);
  const known = [...(topicsByChannel.value.get(channelId)?.values() ?? [])];
  return known
    .sort((a, b) => b.maxId - a.maxId)
    .flatMap(({ conversation }) => (conversation.kind === "topic" ? [conversation.topic] : []));
}

function enqueue(channelId: number): void {
  if (!waiting.includes(channelId)) waiting.push(channelId);
  while (runningCalls < maxConcurrentCalls && waiting.length > 0) {
    runningCalls++;
    void fetchWaiting().finally(() => {
      runningCalls--;
    });
  }
}

async function fetchWaiting(): Promise<void> {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const channelId = id;
    const end = sessionEnd();
    try {
      const query = { stream_id: channelId, allow_empty_topic_name: true };
      const { topics } = await retryOnceReachable(() => call("GET /users/me/{stream_id}/topics", query), end);
      if (end.aborted) continue;
      const known = outdated.delete(channelId) ? new Map() : topicsIn(channelId);
      addArrived(channelId, withTopics(known, channelId, topics));
    } catch {
      // The user may not read the channel. Whoever shows it next asks again.
      needed.delete(channelId);
    }
  }
}

function refreshSoon(channelId: number): void {
  if (!needed.has(channelId)) return;
  const isScheduled = channelsToRefresh.size > 0;
  channelsToRefresh.add(channelId);
  if (isScheduled) return;
  setTimeout(() => {
    const ids = [...channelsToRefresh];
    channelsToRefresh.clear();
    if (state.peek()) ids.forEach(enqueue);
  }, refreshDelayMs);
}

function apply(event: ServerEvent): void {
  if (event.type === "message") {
    const [message] = list(messageOf)([event.message]);
    const channelId = message?.stream_id;
    if (message?.type === "stream" && channelId !== undefined && needed.has(channelId))
      setTopics(channelId, withMessages(topicsIn(channelId), [message], currentState().userId));
  } else if (event.type === "update_message" && event.propagate_mode !== undefined) {
    const movedIds = new Set(editedIn(event));
    for (const channelId of channelsIn(event)) {
      if (needed.has(channelId)) setTopics(channelId, withoutNewest(topicsIn(channelId), movedIds));
      refreshSoon(channelId);
    }
  } else if (event.type === "delete_message") {
    const deletedIds = new Set(deletedIn(event));
    for (const [channelId, topics] of topicsByChannel.peek()) {
      const remaining = withoutNewest(topics, deletedIds);
      if (remaining.size === topics.size) continue;
      setTopics(channelId, remaining);
      refreshSoon(channelId);
    }
  } else if (event.type === "subscription" && (event.op === "add" || event.op === "remove"))
    for (const channelId of list(channelIdOf)(event.subscriptions)) refreshSoon(channelId);
}

onEvents((events) => events.forEach(apply));

// What was fetched before a registration may lack what happened before it.
effect(() => {
  const registration = registrations.value;
  const isSignedIn = state.value !== undefined;
  untracked(() => {
    if (!isSignedIn) {
      needed.clear();
      waiting.length = 0;
      arrived.clear();
      if (topicsByChannel.peek().size > 0) topicsByChannel.value = new Map();
    } else if (registration !== lastRegistration) {
      lastRegistration = registration;
      for (const channelId of needed) {
        outdated.add(channelId);
        enqueue(channelId);
      }
    }
  });
});
