import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { matcher } from "../../base/lib/find.ts";
import { go, linkToNarrow, route } from "../../navigation/router.ts";
import { rows } from "../../parts/boundary.tsx";
import { memo } from "../../parts/memo.ts";
import { Count, Icon, Menu, PrivacyIcon, threadOf, topicName } from "../../parts/parts.tsx";
import { setSubscriptionProperty } from "../../session/actions/change-own.ts";
import { sessionSignal } from "../../session/session.ts";
import { subscriptions, topicPolicies, unread as unreadState } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { conversationKey, resolvedMark } from "../../state/model.ts";
import { conversationIn, narrowKey } from "../../state/narrow.ts";
import { type SubscribedChannel, type TopicEntry, topicsOf } from "../conversations/channel-lists.ts";
import { needTopics, topicsByChannel } from "../conversations/channel-topics.ts";
import { markAllRead } from "../conversations/mark-as-read.ts";
import { TopicMenu } from "../conversations/topic.tsx";
import { changeChannelMuted, leaveChannel } from "../conversations/undoable.ts";
import { useStillRows } from "./frozen-rows.ts";

/** A channel in the sidebar, with its topics. */

/** The channels that the user has opened (true) or closed; the one that the page shows is open otherwise. */
const chosenOpen = sessionSignal<ReadonlyMap<number, boolean>>(new Map());

/** How many topics with unread messages a closed channel shows. */
const maxUnreadTopics = 5;
/** How many topics an open channel shows at first, and how many more at each request. */
const firstTopics = 12;
const moreTopics = 50;

const keyOfTopic = ({ conversation }: TopicEntry) => conversationKey(conversation);
const emptied = (topic: TopicEntry): TopicEntry => ({ ...topic, unread: 0, mentions: 0 });

/** `query` is what the user filters by: then the topics with such a name are shown. */
export const ChannelEntry = memo(function ChannelEntry({ entry, query }: { entry: SubscribedChannel; query: string }) {
  const { channel, subscription, unread, mentions } = entry;
  const channelId = channel.stream_id;
  const narrow = { kind: "channel" as const, channelId };
  const limit = useSignal(firstTopics);
  const view = route.value;
  const shownNarrow = view.kind === "narrow" ? view.narrow : undefined;
  /** Whether the page shows the channel or one of its topics. */
  const isInChannel =
    (shownNarrow?.kind === "channel" || shownNarrow?.kind === "topic") && shownNarrow.channelId === channelId;
  const shownConversation = shownNarrow && conversationIn(shownNarrow);
  const shownTopic = isInChannel && shownConversation?.kind === "topic" ? shownConversation : undefined;
  const shownKey = shownTopic && conversationKey(shownTopic);
  const chosen = useComputed(() => chosenOpen.value.get(channelId)).value;
  const isOpen = query !== "" || (chosen ?? isInChannel);
  useEffect(() => {
    if (isOpen) needTopics(channelId);
  }, [isOpen]);
  const known = useComputed(() => topicsByChannel.value.get(channelId)).value;

  const matchOf = matcher(query);
  const isFound = ({ conversation }: TopicEntry) => matchOf(topicName(conversation.topic)) !== undefined;
  const ofChannel = topicsOf(entry, isOpen && known ? known : new Map(), shownTopic, {
    // What is unread in the channel is in its entry: what is unread elsewhere does not render it again.
    unread: unreadState.peek() as NonNullable<typeof unreadState.value>,
    subscriptions: subscriptions.value ?? new Map(),
    topicPolicies: topicPolicies.value ?? new Map(),
  });
  const all = query === "" || matchOf(channel.name) !== undefined ? ofChannel : ofChannel.filter(isFound);
  const isShown = (topic: TopicEntry) => keyOfTopic(topic) === shownKey;
  const listed = isOpen
    ? all.filter((topic, index) => index < limit.value || isShown(topic))
    : all
        .filter(({ muted, unread: count }) => chosen !== false && !muted && count > 0)
        .slice(0, maxUnreadTopics)
        .concat(all.filter(isShown));
  const distinct = [...new Map(listed.map((topic) => [keyOfTopic(topic), topic])).values()];
  const visible = useStillRows(distinct, keyOfTopic, {
    emptied,
    choice: `${chosen} ${limit.value} ${query}`,
    opened: `${isOpen && known !== undefined} ${shownKey}`,
  });
  const hiddenCount = isOpen ? all.length - distinct.length : 0;
  const isMuted = subscription.is_muted;
  const shownUnread = visible.reduce((sum, topic) => sum + (topic.muted ? 0 : topic.unread), 0);
  const isActive = shownNarrow !== undefined && narrowKey(shownNarrow) === narrowKey(narrow);
  return (
    <li class={`channel ${isMuted ? "muted" : ""}`} style={{ "--topics": visible.length + (hiddenCount > 0 ? 1 : 0) }}>
      <div class="nav-row">
        <button
          type="button"
          class="icon-button toggle"
          aria-expanded={isOpen}
          aria-label={t("Topics of {name}", { name: channel.name })}
          onClick={() => {
            chosenOpen.value = new Map(chosenOpen.value).set(channelId, !isOpen);
            limit.value = firstTopics;
          }}
        >
          <Icon name="down" size={13} />
        </button>
        <a
          class={`nav ${isActive ? "active" : ""}`}
          href={linkToNarrow(narrow)}
          aria-current={isActive ? "page" : undefined}
        >
          <PrivacyIcon channelId={channelId} />
          <span class="grow">{channel.name}</span>
          {/* A number that the topics below add up to is not repeated. */}
          {unread > shownUnread && <Count value={unread} weight={isMuted ? "muted" : "plain"} mentions={mentions} />}
        </a>
        <Menu
          icon="more"
          label={t("Actions for {name}", { name: channel.name })}
          items={[
            { label: t("Mark as read"), icon: "check", run: () => void markAllRead(narrow) },
            {
              label: subscription.pin_to_top ? t("Unpin") : t("Pin to the top"),
              icon: "star",
              run: () => void tryTo(() => setSubscriptionProperty(channelId, "pin_to_top", !subscription.pin_to_top)),
            },
            {
              label: isMuted ? t("Unmute") : t("Mute"),
              icon: "mute",
              run: () => void changeChannelMuted(channel, !isMuted),
            },
            {
              label: t("Channel settings"),
              icon: "settings",
              run: () => go({ kind: "channel-settings", channelId }),
            },
            { label: t("Leave"), icon: "exit", run: () => void leaveChannel(channel) },
          ]}
        />
      </div>
      {(visible.length > 0 || hiddenCount > 0) && (
        <ul class="topics" aria-busy={isOpen && !known}>
          {rows(visible, (topic) => (
            <TopicRow key={keyOfTopic(topic)} topic={topic} isShown={isShown(topic)} />
          ))}
          {hiddenCount > 0 && (
            <li>
              <button
                type="button"
                class="plain quiet nav topic"
                onClick={() => {
                  limit.value += moreTopics;
                }}
              >
                {t("{count, plural, one {# more topic} other {# more topics}}", { count: hiddenCount })}
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
});

export function TopicRow({ topic: entry, isShown }: { topic: TopicEntry; isShown: boolean }) {
  const { conversation, unread, mentions, muted, followed } = entry;
  const { channelId, topic } = conversation;
  const isResolved = topic.startsWith(resolvedMark);
  return (
    <li {...threadOf(conversation)} class={`${muted ? "muted" : ""} ${isResolved ? "resolved" : ""}`}>
      <div class="nav-row">
        <a
          class={`nav topic ${isShown ? "active" : ""} ${muted ? "muted" : ""} ${isResolved ? "resolved" : ""} ${unread > 0 && !muted ? "unread" : ""}`}
          href={linkToNarrow(conversation)}
          aria-current={isShown ? "page" : undefined}
        >
          <span class="grow">{topicName(topic)}</span>
          {followed && <Mark icon="bell" text={t("followed")} />}
          {muted && <Mark icon="mute" text={t("muted")} />}
          <Count value={unread} weight={muted ? "muted" : followed ? "followed" : "plain"} mentions={mentions} />
        </a>
        <TopicMenu channelId={channelId} topic={topic} />
      </div>
    </li>
  );
}

const Mark = ({ icon, text }: { icon: "bell" | "mute"; text: string }) => (
  <span class="mark" title={text}>
    <Icon name={icon} size={13} />
    <span class="unseen"> {text}</span>
  </span>
);
