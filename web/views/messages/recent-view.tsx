import { computed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { matcher } from "../../base/lib/find.ts";
import { rows } from "../../parts/boundary.tsx";
import { FilterField } from "../../parts/fields/filter-field.tsx";
import { spaceFor, useNearRows } from "../../parts/near-rows.ts";
import { Count, channelName, namesOf, threadOf, topicName } from "../../parts/parts.tsx";
import { registrations, state } from "../../session/store.ts";
import { type Conversation, conversationKey, type State } from "../../state/model.ts";
import { isTopicMuted } from "../../state/narrow.ts";
import type { RecentByKey, RecentConversation } from "../../state/recent-by-key.ts";
import { noIds, topicEntry } from "../conversations/channel-lists.ts";
import { ConversationLink } from "../conversations/conversation-link.tsx";
import { MessageBeginning } from "../conversations/newest-message.tsx";
import { TopicCount, TopicMenu } from "../conversations/topic.tsx";
import { openRecentConversations, type RecentConversations as Source } from "./recent-conversations.ts";

interface Filter {
  query: string;
  onlyUnread: boolean;
}

/** Recent conversations, the newest first. Only the rows near the screen are in the DOM. */
export function RecentConversations() {
  const [filter, setFilter] = useState<Filter>({ query: "", onlyUnread: false });
  const [source, setSource] = useState<Source>();
  const registration = registrations.value;
  useEffect(() => {
    const opened = openRecentConversations();
    setSource(opened);
    return opened.close;
  }, [registration]);
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Recent conversations")}</h1>
      <div class="page-tools">
        <FilterField
          label={t("Filter conversations")}
          value={filter.query}
          onChange={(query) => setFilter({ ...filter, query })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={filter.onlyUnread}
            onChange={(event) => setFilter({ ...filter, onlyUnread: event.currentTarget.checked })}
          />
          {t("Unread")}
        </label>
      </div>
      {source && <Rows source={source} filter={filter} />}
    </div>
  );
}

/** For how many more rows the details are fetched, to need fewer calls. */
const detailsAhead = 50;

function Rows({ source, filter }: { source: Source; filter: Filter }) {
  const list = useRef<HTMLUListElement>(null);
  const conversations =
    useMemo(() => computed(() => state.value && sorted(state.value, source.byKey.value)), [source]).value ?? [];
  const completeFrom = source.completeFrom.value;
  const current = state.value;
  const found = current ? conversations.filter((row) => matches(row, filter, current)) : [];
  // Unread messages are known without the server.
  const shown = filter.onlyUnread ? found : found.filter(({ maxId }) => maxId >= completeFrom);
  const isComplete = completeFrom === 0 || filter.onlyUnread;
  const problem = source.problem.value;
  const isLoading = source.isLoading.value;

  const near = useNearRows(list, shown.length);
  const rendered = shown.slice(near.first, near.end);
  useEffect(() => {
    if (!isComplete && !isLoading && !problem && near.end >= shown.length) source.loadMore();
    source.loadDetails(rendered, shown.slice(near.end, near.end + detailsAhead));
  });
  if (!current) return null;
  return (
    <>
      <ul class="rows newest recent long" ref={list} style={spaceFor(near, shown.length)}>
        {rows(
          rendered,
          (row, index) => (
            <Row
              key={conversationKey(row.conversation)}
              row={row}
              current={current}
              position={near.first + index + 1}
            />
          ),
          ({ conversation }) => titleOf(conversation),
        )}
      </ul>
      {problem && (
        <p class="notice problem" role="alert">
          {problem}{" "}
          <button type="button" onClick={source.loadMore}>
            {t("Try again")}
          </button>
        </p>
      )}
      {!problem && !isComplete && <p class="notice quiet">{t("Loading …")}</p>}
      {isComplete && shown.length === 0 && (
        <p class="notice">
          {filter.query || filter.onlyUnread
            ? t("No matching conversations.")
            : t("Conversations in your channels and direct messages appear here, newest first.")}
        </p>
      )}
      {isComplete && shown.length > 0 && !filter.onlyUnread && (
        <p class="notice quiet">{t("These are all of them.")}</p>
      )}
    </>
  );
}

function Row({ row, current, position }: { row: RecentConversation; current: State; position: number }) {
  const { conversation, last } = row;
  const ids = unreadIn(conversation, current);
  return (
    <li aria-posinset={position} aria-setsize={-1} {...threadOf(conversation)}>
      <ConversationLink conversation={conversation} />
      {last && <MessageBeginning senderId={last.senderId} timestamp={last.timestamp} html={last.beginning} />}
      {conversation.kind === "direct" ? (
        <Count value={ids.size} weight="personal" />
      ) : (
        <TopicCount of={topicEntry(conversation, ids, row.maxId, current)} />
      )}
      {conversation.kind === "topic" && <TopicMenu channelId={conversation.channelId} topic={conversation.topic} />}
    </li>
  );
}

const unreadIn = (conversation: Conversation, { unread }: State) =>
  unread.byConversation.get(conversationKey(conversation))?.ids ?? noIds;

/** The conversations of the user's channels and direct messages, the newest first. */
function sorted({ unread, subscriptions, channels }: State, byKey: RecentByKey): RecentConversation[] {
  const all = new Map(byKey);
  for (const [key, { conversation, ids }] of unread.byConversation) {
    const maxId = Math.max(...ids);
    if ((all.get(key)?.maxId ?? 0) < maxId) all.set(key, { conversation, maxId });
  }
  return [...all.values()]
    .filter(
      ({ conversation }) =>
        conversation.kind === "direct" ||
        (subscriptions.has(conversation.channelId) && channels.get(conversation.channelId)?.is_archived === false),
    )
    .sort((a, b) => b.maxId - a.maxId);
}

function matches(row: RecentConversation, { query, onlyUnread }: Filter, current: State): boolean {
  const { conversation } = row;
  if (onlyUnread && unreadIn(conversation, current).size === 0) return false;
  const isMuted =
    conversation.kind === "topic"
      ? isTopicMuted(conversation.channelId, conversation.topic, current)
      : conversation.userIds.every((id) => current.mutedUsers.has(id));
  if (query === "") return !isMuted;
  return matcher(query)(titleOf(conversation)) !== undefined;
}

const titleOf = (conversation: Conversation) =>
  conversation.kind === "topic"
    ? `${channelName(conversation.channelId)} ${topicName(conversation.topic)}`
    : namesOf(conversation.userIds);
