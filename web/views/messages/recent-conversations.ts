import { type Signal, signal } from "@preact/signals";
import { retryOnceReachable } from "../../session/retry.ts";
import { call, sessionEnd } from "../../session/session.ts";
import { currentState, onEvents } from "../../session/store.ts";
import type { ServerEvent } from "../../state/events/handler.ts";
import { channelsIn, deletedIn, editedIn } from "../../state/events/message-events.ts";
import { type Term, termsOf } from "../../state/narrow.ts";
import { list } from "../../state/readers.ts";
import {
  type RecentByKey,
  type RecentConversation,
  withEdit,
  withMessages,
  withoutNewest,
  withTopics,
} from "../../state/recent-by-key.ts";
import { channelIdOf, messageOf } from "../../state/records.ts";

/**
 * Fetches the conversations, newest first. The newest messages of all conversations show the first ones. For the others,
 * each channel lists its topics with their newest message, and direct messages are fetched page by page: this takes far fewer
 * calls than reading the whole history.
 */

const newestCount = 300;
const directsPerPage = 1000;
/** How many channels are asked for their topics at the same time. */
const concurrentCalls = 4;
/** Several events about a channel cause one call. */
const refreshDelayMs = 300;

export interface RecentConversations {
  byKey: Signal<RecentByKey>;
  /** The list has all conversations whose newest message is not older than the one with this ID; 0 if it is complete. */
  completeFrom: Signal<number>;
  isLoading: Signal<boolean>;
  problem: Signal<string>;
  loadMore(): void;
  /** Fetches the newest messages; if one is not known of `needed`, those of `ahead` too. */
  loadDetails(needed: readonly RecentConversation[], ahead: readonly RecentConversation[]): void;
  close(): void;
}

export function openRecentConversations(): RecentConversations {
  const { userId } = currentState();
  const closing = new AbortController();
  const end = AbortSignal.any([closing.signal, sessionEnd()]);
  const byKey = signal<RecentByKey>(new Map());
  /** Down to which message the direct conversations, and the topics, are complete. */
  const floors = { direct: Number.POSITIVE_INFINITY, topics: Number.POSITIVE_INFINITY };
  const completeFrom = signal(Number.POSITIVE_INFINITY);
  const problem = signal("");
  const requestedDetails = new Set<number>();
  const channelsToRefresh = new Set<number>();
  const isLoading = signal(false);
  let refreshTimer: ReturnType<typeof setTimeout> | undefined;

  const retrying = <T>(work: () => Promise<T>) => retryOnceReachable(work, end);

  const fetchMessages = async (anchor: string, count: number, narrow: readonly Term[]) => {
    const reply = await retrying(() =>
      call("GET /messages", {
        anchor,
        include_anchor: anchor === "newest",
        num_before: count,
        num_after: 0,
        narrow,
        allow_empty_topic_name: true,
      }),
    );
    byKey.value = withMessages(byKey.value, list(messageOf)(reply.messages), userId);
    const [oldest] = reply.messages;
    return reply.found_oldest || !oldest ? 0 : oldest.id;
  };

  const fetchTopics = async (channelId: number) => {
    const query = { stream_id: channelId, allow_empty_topic_name: true };
    const { topics } = await retrying(() => call("GET /users/me/{stream_id}/topics", query));
    byKey.value = withTopics(byKey.value, channelId, topics);
  };

  const fetchAllTopics = async () => {
    const { subscriptions, channels } = currentState();
    const queue = [...subscriptions.keys()].filter((id) => channels.get(id)?.is_archived === false);
    const work = async () => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) await fetchTopics(id);
    };
    await Promise.all(Array.from({ length: concurrentCalls }, work));
    return 0;
  };

  const loadNext = async () => {
    if (floors.direct === Number.POSITIVE_INFINITY) {
      floors.direct = await fetchMessages("newest", newestCount, []);
      floors.topics = floors.direct;
    } else
      [floors.topics, floors.direct] = await Promise.all([
        floors.topics > 0 ? fetchAllTopics() : 0,
        floors.direct > 0
          ? fetchMessages(String(floors.direct), directsPerPage, [{ operator: "is", operand: "dm" }])
          : 0,
      ]);
    completeFrom.value = Math.max(floors.topics, floors.direct);
  };

  /** Runs work in the background, and shows its error. */
  const run = async (work: () => Promise<unknown>) => {
    problem.value = "";
    await work().catch((error: unknown) => {
      if (!end.aborted) problem.value = error instanceof Error ? error.message : String(error);
    });
  };

  const loadMore = () => {
    if (isLoading.peek() || completeFrom.peek() === 0) return;
    isLoading.value = true;
    void run(loadNext).finally(() => {
      isLoading.value = false;
    });
  };

  const refreshSoon = (channelId: number) => {
    if (!currentState().subscriptions.has(channelId)) return;
    channelsToRefresh.add(channelId);
    refreshTimer ??= setTimeout(() => {
      refreshTimer = undefined;
      const ids = [...channelsToRefresh];
      channelsToRefresh.clear();
      void run(() => Promise.all(ids.map(fetchTopics)));
    }, refreshDelayMs);
  };

  const onEvent = (event: ServerEvent) => {
    if (event.type === "update_message" && event.rendered_content !== undefined)
      byKey.value = withEdit(byKey.value, event.message_id, event.rendered_content);
    if (event.type === "message") byKey.value = withMessages(byKey.value, list(messageOf)([event.message]), userId);
    else if (event.type === "update_message" && event.propagate_mode !== undefined) {
      byKey.value = withoutNewest(byKey.value, new Set(editedIn(event)));
      for (const channelId of channelsIn(event)) refreshSoon(channelId);
    } else if (event.type === "delete_message") {
      const deletedIds = new Set(deletedIn(event));
      const changed = [...byKey.value.values()].filter(({ maxId }) => deletedIds.has(maxId));
      byKey.value = withoutNewest(byKey.value, deletedIds);
      // What is the newest message now is not known here.
      for (const { conversation } of changed)
        if (conversation.kind === "topic") refreshSoon(conversation.channelId);
        else void run(() => fetchMessages("newest", 1, termsOf(conversation)));
    } else if (event.type === "subscription" && event.op === "add")
      for (const channelId of list(channelIdOf)(event.subscriptions)) refreshSoon(channelId);
  };
  const stopEvents = onEvents((events) => events.forEach(onEvent));

  loadMore();
  return {
    byKey,
    completeFrom,
    isLoading,
    problem,
    loadMore,
    loadDetails(needed, ahead) {
      const isMissing = ({ last, maxId }: RecentConversation) => !last && !requestedDetails.has(maxId);
      if (!needed.some(isMissing)) return;
      const ids = [...needed, ...ahead].filter(isMissing).map(({ maxId }) => maxId);
      for (const id of ids) requestedDetails.add(id);
      void run(async () => {
        const query = { message_ids: ids, allow_empty_topic_name: true };
        const { messages } = await retrying(() => call("GET /messages", query));
        byKey.value = withMessages(byKey.value, list(messageOf)(messages), userId);
      });
    },
    close() {
      closing.abort();
      stopEvents();
      clearTimeout(refreshTimer);
    },
  };
}
