import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { scheduleMessage } from "../../actions.ts";
import { t } from "../../languages/language.ts";
import { dayAndTime } from "../../lib/time.ts";
import { call, state } from "../../session.ts";
import { type Conversation, conversationKey, type ScheduledMessage } from "../../state/model.ts";
import { tryTo } from "../../toasts.ts";
import { newId } from "../../unsent/unsent-messages.ts";
import { compose } from "../compose/compose-state.ts";
import { SendLater } from "../compose/send-later.tsx";
import { listedChannels } from "../navigation/channel-groups.ts";
import { directConversations } from "../navigation/lists.ts";
import { linkToNarrow } from "../navigation/router.ts";
import { TopicMenu } from "../navigation/topic.tsx";
import { rows } from "../parts/boundary.tsx";
import { beginningOf, confirmAndTry } from "../parts/confirm.tsx";
import { Content } from "../parts/content.tsx";
import { spaceFor, useNearRows } from "../parts/near-rows.ts";
import { Count, channelName, Icon, IconButton, namesOf, PrivacyIcon, topicName } from "../parts/parts.tsx";
import { markAllRead } from "./mark-as-read.ts";

/** Views that list conversations instead of messages. */

export function ConversationLink({ conversation }: { conversation: Conversation }) {
  return (
    <a class="grow conversation" href={linkToNarrow(conversation)}>
      {conversation.kind === "topic" ? (
        <>
          <PrivacyIcon channelId={conversation.channelId} />
          {channelName(conversation.channelId)} › <strong>{topicName(conversation.topic)}</strong>
        </>
      ) : (
        <strong>{namesOf(conversation.userIds)}</strong>
      )}
    </a>
  );
}

/** Unread messages by conversation. */
export function Inbox() {
  const directs = useComputed(() =>
    state.value ? directConversations(state.value).filter(({ unread }) => unread > 0) : [],
  ).value;
  const channels = listedChannels.value
    .map(({ channel, topics }) => ({ channel, topics: topics.filter(({ muted }) => !muted) }))
    .filter(({ topics }) => topics.length > 0);
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
      {isEmpty && (
        <div class="notice">
          <p>{t("You have read everything.")}</p>
          <p class="quiet">{t("Unread messages to you and in your channels appear here.")}</p>
        </div>
      )}
      {directs.length > 0 && (
        <section>
          <h2>{t("Direct messages")}</h2>
          <LongList
            of={directs}
            row={({ conversation, unread }, place) => (
              <li key={conversationKey(conversation)} {...place}>
                <ConversationLink conversation={conversation} />
                <Count value={unread} weight="personal" />
                <ReadButton conversation={conversation} />
              </li>
            )}
          />
        </section>
      )}
      {rows(channels, ({ channel, topics }) => (
        <section key={channel.stream_id}>
          <h2>
            <a href={linkToNarrow({ kind: "channel", channelId: channel.stream_id })}>
              <PrivacyIcon channelId={channel.stream_id} /> {channel.name}
            </a>
          </h2>
          <LongList
            of={topics}
            row={({ conversation, unread, mentions, followed }, place) => (
              <li key={conversationKey(conversation)} {...place}>
                <a class="grow conversation" href={linkToNarrow(conversation)}>
                  <strong>{topicName(conversation.topic)}</strong>
                </a>
                <Count value={unread} weight={followed ? "followed" : "plain"} mentions={mentions} />
                <ReadButton conversation={conversation} />
                <TopicMenu channelId={conversation.channelId} topic={conversation.topic} />
              </li>
            )}
          />
        </section>
      ))}
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
    <ul class="rows long" ref={list} style={spaceFor(near, items.length)}>
      {rows(items.slice(near.first, near.end), (item, index) =>
        row(item, { "aria-posinset": near.first + index + 1, "aria-setsize": items.length }),
      )}
    </ul>
  );
}

const ReadButton = ({ conversation }: { conversation: Conversation }) => (
  <IconButton icon="check" label={t("Mark as read")} onClick={() => void markAllRead(conversation)} />
);

const scheduledConversation = (message: ScheduledMessage): Conversation =>
  message.type === "stream"
    ? { kind: "topic", channelId: Number(message.to), topic: message.topic ?? "" }
    : { kind: "direct", userIds: message.to as number[] };

const removeScheduled = (id: number) =>
  call("DELETE /scheduled_messages/{scheduled_message_id}", { scheduled_message_id: id });

const cancelScheduled = ({ scheduled_message_id, content }: ScheduledMessage) =>
  confirmAndTry(
    {
      title: t("Cancel the scheduled message?"),
      text: t("It is not sent, and its text is lost: “{text}”", { text: beginningOf(content) }),
      label: t("Cancel the message"),
    },
    () => removeScheduled(scheduled_message_id),
  );

export function Scheduled() {
  const [rescheduled, setRescheduled] = useState<ScheduledMessage>();
  const scheduled = useComputed(() =>
    [...(state.value?.scheduled.values() ?? [])].sort(
      (a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp,
    ),
  ).value;
  return (
    <div class="page" id="messages" tabIndex={-1}>
      <h1>{t("Scheduled messages")}</h1>
      {scheduled.length === 0 && (
        <p class="notice">{t("Messages that you schedule appear here. The clock beside “Send” schedules one.")}</p>
      )}
      <ul class="cards">
        {rows(scheduled, (message) => (
          <li key={message.scheduled_message_id}>
            <header>
              <ConversationLink conversation={scheduledConversation(message)} />
              <time class="quiet small">{dayAndTime(message.scheduled_delivery_timestamp)}</time>
            </header>
            <Content html={message.rendered_content} />
            {message.failed && <p class="problem">{t("It could not be sent.")}</p>}
            <div class="dialog-actions">
              <button type="button" onClick={() => void cancelScheduled(message)}>
                {t("Cancel it")}
              </button>
              <button type="button" onClick={() => setRescheduled(message)}>
                {t("Another time")}
              </button>
              <button
                type="button"
                class="primary"
                onClick={() =>
                  void tryTo(async () => {
                    const conversation = scheduledConversation(message);
                    await removeScheduled(message.scheduled_message_id);
                    compose.resume({ id: newId(), recipient: conversation, text: message.content, changedAt: 0 });
                  })
                }
              >
                {t("Edit")}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {rescheduled && (
        <SendLater
          title={t("Send at another time")}
          onClose={() => setRescheduled(undefined)}
          onPick={async (deliverAtSeconds) => {
            const succeeded = await tryTo(() =>
              rescheduled.failed
                ? scheduleMessage(scheduledConversation(rescheduled), rescheduled.content, deliverAtSeconds).then(() =>
                    removeScheduled(rescheduled.scheduled_message_id),
                  )
                : call("PATCH /scheduled_messages/{scheduled_message_id}", {
                    scheduled_message_id: rescheduled.scheduled_message_id,
                    scheduled_delivery_timestamp: deliverAtSeconds,
                  }),
            );
            if (succeeded) setRescheduled(undefined);
          }}
        />
      )}
    </div>
  );
}
