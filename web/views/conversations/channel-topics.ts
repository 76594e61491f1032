import { untracked } from "@preact/signals";
import { retryOnceReachable } from "../../session/retry.ts";
import { call, later, onSession, perSession, sessionEnd, sessionSignal } from "../../session/session.ts";
import { currentState, onEvents, registrations } from "../../session/store.ts";
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
export const topicsByChannel = sessionSignal<ReadonlyMap<number, RecentByKey>>(new Map());

const fetching = perSession(() => ({
  /** The channels whose topics are shown somewhere; after another registration they are fetched again. */
  needed: new Set<number>(),
  waiting: [] as number[],
  toRefresh: new Set<number>(),
  /** The channels whose known topics are of an earlier registration. */
  outdated: new Set<number>(),
  runningCalls: 0,
  /** The topics that were fetched and are not shown yet: many channels that arrive one by one are shown together. */
  arrived: new Map<number, RecentByKey>(),
}));

/** How many channels are asked for their topics at the same time. */
const maxConcurrentCalls = 4;
/** Several events about a channel cause one call. */
const refreshDelayMs = 300;

const arrivalDelayMs = 150;

const topicsIn = (channelId: number): RecentByKey =>
  fetching().arrived.get(channelId) ?? topicsByChannel.peek().get(channelId) ?? new Map();

function setTopics(channelId: number, topics: RecentByKey): void {
  const { arrived } = fetching();
  if (arrived.has(channelId)) arrived.set(channelId, topics);
  else topicsByChannel.value = new Map(topicsByChannel.peek()).set(channelId, topics);
}

function showArrived(): void {
  const { arrived } = fetching();
  if (arrived.size === 0) return;
  topicsByChannel.value = new Map([...topicsByChannel.peek(), ...arrived]);
  arrived.clear();
}

function addArrived(channelId: number, topics: RecentByKey): void {
  const { arrived, waiting } = fetching();
  if (arrived.size === 0) later(showArrived, arrivalDelayMs);
  arrived.set(channelId, topics);
  if (waiting.length === 0) showArrived();
}

/** Fetches the topics of a channel, unless they were fetched before. */
export function needTopics(channelId: number): void {
  const { needed } = fetching();
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
  const own = fetching();
  if (!own.waiting.includes(channelId)) own.waiting.push(channelId);
  while (own.runningCalls < maxConcurrentCalls && own.waiting.length > 0) {
    own.runningCalls++;
    void fetchWaiting().finally(() => {
      own.runningCalls--;
    });
  }
}

async function fetchWaiting(): Promise<void> {
  const { needed, outdated, waiting } = fetching();
  const end = sessionEnd();
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const channelId = id;
    try {
      const query = { stream_id: channelId, allow_empty_topic_name: true };
      const { topics } = await retryOnceReachable(() => call("GET /users/me/{stream_id}/topics", query), end);
      if (end.aborted) return;
      const known = outdated.delete(channelId) ? new Map() : topicsIn(channelId);
      addArrived(channelId, withTopics(known, channelId, topics));
    } catch {
      // The user may not read the channel. Whoever shows it next asks again.
      needed.delete(channelId);
    }
  }
}

function refreshSoon(channelId: number): void {
  const { needed, toRefresh } = fetching();
  if (!needed.has(channelId)) return;
  const isScheduled = toRefresh.size > 0;
  toRefresh.add(channelId);
  if (isScheduled) return;
  later(() => {
    const ids = [...toRefresh];
    toRefresh.clear();
    ids.forEach(enqueue);
  }, refreshDelayMs);
}

function apply(event: ServerEvent): void {
  const { needed } = fetching();
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

onSession((session) => {
  onEvents((events) => events.forEach(apply));
  let lastRegistration = 0;
  // What was fetched before a registration may lack what happened before it.
  session.effect(() => {
    const registration = registrations.value;
    untracked(() => {
      if (registration === lastRegistration) return;
      lastRegistration = registration;
      const { needed, outdated } = fetching();
      for (const channelId of needed) {
        outdated.add(channelId);
        enqueue(channelId);
      }
    });
  });
});
