import { useComputed } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { linkToNarrow } from "../../navigation/router.ts";
import { rows } from "../../parts/boundary.tsx";
import { useFirstItems } from "../../parts/growing.tsx";
import { spaceFor, useNearRows } from "../../parts/near-rows.ts";
import { Count, Empty, Icon, IconButton, PrivacyIcon, threadOf, topicName } from "../../parts/parts.tsx";
import { state } from "../../session/store.ts";
import { type Conversation, conversationKey, type State } from "../../state/model.ts";
import { isAlone } from "../../state/permissions.ts";
import { listedChannels } from "../conversations/channel-groups.ts";
import { directConversations } from "../conversations/channel-lists.ts";
import { ConversationLink } from "../conversations/conversation-link.tsx";
import { markAllRead } from "../conversations/mark-as-read.ts";
import { NewestMessage } from "../conversations/newest-message.tsx";
import { TopicCount, TopicMenu } from "../conversations/topic.tsx";

/** Views that list conversations instead of messages. */

function whyNothingIsUnread(current: State): string {
  if (current.subscriptions.size === 0) return t("You aren't in any channel yet.");
  return isAlone(current) ? t("Nobody else is here yet.") : t("You have read everything.");
}

/** The least height of a channel with its topics. */
const linesPerChannel = 3;

/** Unread messages by conversation, and above them what else there is to do. */
export function Inbox({ children }: { children: ComponentChildren }) {
  const directs = useComputed(() =>
    state.value ? directConversations(state.value).filter(({ unread }) => unread > 0) : [],
  ).value;
  const channels = listedChannels.value
    .map(({ channel, topics }) => ({ channel, topics: topics.filter(({ muted }) => !muted) }))
    .filter(({ topics }) => topics.length > 0);
  const { first, more } = useFirstItems(channels, () => linesPerChannel);
  const isEmpty = directs.length === 0 && channels.length === 0;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <div class="page-title">
        <h1 class="grow">{t("Inbox")}</h1>
        {!isEmpty && (
          <button type="button" onClick={() => void markAllRead({ kind: "everything" })}>
            <Icon name="check" size={15} /> {t("Mark everything as read")}
          </button>
        )}
      </div>
      {children}
      {isEmpty && (
        <Empty>
          <p>{state.value && whyNothingIsUnread(state.value)}</p>
          <p class="quiet">{t("Unread messages to you and in your channels appear here.")}</p>
        </Empty>
      )}
      {directs.length > 0 && (
        <section>
          <h2>{t("Direct messages")}</h2>
          <LongList
            of={directs}
            row={({ conversation, unread, newest }, place) => (
              <li key={conversationKey(conversation)} {...place}>
                <ConversationLink conversation={conversation} />
                <NewestMessage id={newest} />
                <Count value={unread} weight="personal" />
                <ReadButton conversation={conversation} />
              </li>
            )}
          />
        </section>
      )}
      {rows(first, ({ channel, topics }) => (
        <section key={channel.stream_id}>
          <h2>
            <a href={linkToNarrow({ kind: "channel", channelId: channel.stream_id })}>
              <PrivacyIcon channelId={channel.stream_id} /> {channel.name}
            </a>
          </h2>
          <LongList
            of={topics}
            row={(entry, place) => {
              const { conversation, newest } = entry;
              return (
                <li key={conversationKey(conversation)} {...place} {...threadOf(conversation)}>
                  <a class="conversation" href={linkToNarrow(conversation)}>
                    <strong>{topicName(conversation.topic)}</strong>
                  </a>
                  <NewestMessage id={newest} />
                  <TopicCount of={entry} />
                  <ReadButton conversation={conversation} />
                  <TopicMenu channelId={conversation.channelId} topic={conversation.topic} />
                </li>
              );
            }}
          />
        </section>
      ))}
      {more}
    </div>
  );
}

/** The rows of a list, of which those near the screen are rendered. `place` says where a row is in the whole list. */
function LongList<Item>({
  of: items,
  row,
}: {
  of: readonly Item[];
  row: (item: Item, place: { "aria-posinset": number; "aria-setsize": number }) => VNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  const near = useNearRows(list, items.length);
  return (
    <ul class="rows newest inbox long" ref={list} style={spaceFor(near, items.length)}>
      {rows(items.slice(near.first, near.end), (item, index) =>
        row(item, { "aria-posinset": near.first + index + 1, "aria-setsize": items.length }),
      )}
    </ul>
  );
}

const ReadButton = ({ conversation }: { conversation: Conversation }) => (
  <IconButton icon="check" label={t("Mark as read")} onClick={() => void markAllRead(conversation)} />
);
