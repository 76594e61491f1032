import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { matcher } from "../../base/lib/find.ts";
import { go, linkTo, linkToNarrow, route, sidebarOpen } from "../../navigation/router.ts";
import { Boundary, rows } from "../../parts/boundary.tsx";
import { memo } from "../../parts/memo.ts";
import {
  Avatar,
  Count,
  channelName,
  Icon,
  IconButton,
  type IconName,
  namesOf,
  PrivacyIcon,
  topicName,
  type Weight,
} from "../../parts/parts.tsx";
import { channels, ownUserId, state, subscriptions, users } from "../../session/store.ts";
import { keptCount } from "../../session/unsent/kept-texts.ts";
import { conversationKey, directConversation } from "../../state/model.ts";
import { type Narrow, narrowKey } from "../../state/narrow.ts";
import { channelGroups, listedChannels } from "../conversations/channel-groups.ts";
import {
  type DirectConversation,
  directConversations,
  presenceNames,
  presenceStatusOf,
  type SubscribedChannel,
  unreadCount,
} from "../conversations/channel-lists.ts";
import { needTopics, topicsByChannel } from "../conversations/channel-topics.ts";
import { ChannelEntry, TopicRow } from "./channel-entry.tsx";
import { holdRows, releaseRows, useStillRows } from "./frozen-rows.ts";
import { isFolded, Section } from "./section.tsx";

/** Whether the page shows a narrow. */
const isShown = (narrow: Narrow) =>
  route.value.kind === "narrow" && narrowKey(route.value.narrow) === narrowKey(narrow);

function Entry({
  icon,
  label,
  href,
  active,
  count,
  weight,
}: {
  icon: IconName;
  label: string;
  href: string;
  active: boolean;
  count?: number;
  weight?: Weight;
}) {
  return (
    <li>
      <a class={`nav view ${active ? "active" : ""}`} href={href} aria-current={active ? "page" : undefined}>
        <Icon name={icon} />
        <span class="grow">{label}</span>
        <Count value={count ?? 0} {...(weight && { weight })} />
      </a>
    </li>
  );
}

/** The sidebar: views, direct messages, channels with their topics. */
export function Sidebar() {
  const filter = useSignal("");
  const unreadMessages = useComputed(() => (state.value ? unreadCount(state.value) : 0)).value;
  const mentions = useComputed(() => state.value?.unread.mentions.size ?? 0).value;
  const scheduled = useComputed(() => (state.value?.scheduled.size ?? 0) + (state.value?.reminders.size ?? 0)).value;
  const isView = (kind: string) => route.value.kind === kind;
  const frame = useRef<HTMLElement>(null);
  const view = route.value;
  const knownTopics = topicsByChannel.value;
  // Not a layout effect: the lists below render by themselves, after this.
  useEffect(() => scrollToCurrent(frame.current), [view, knownTopics, sidebarOpen.value]);
  useEffect(() => {
    // Whoever types elsewhere is not about to choose a row, wherever the pointer rests.
    const onKeyDown = ({ target }: KeyboardEvent) => {
      if (frame.current && !frame.current.contains(target as Node)) releaseRows(frame.current);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <nav
      class={`sidebar ${sidebarOpen.value ? "open" : ""}`}
      aria-label={t("Channels and views")}
      ref={frame}
      onPointerMove={(event) => {
        if (event.pointerType === "mouse") holdRows(event.currentTarget);
      }}
      onPointerLeave={(event) => releaseRows(event.currentTarget)}
      onKeyDown={(event) => holdRows(event.currentTarget)}
    >
      <ul>
        <Entry
          icon="inbox"
          label={t("Inbox")}
          href={linkTo({ kind: "inbox" })}
          active={isView("inbox")}
          count={unreadMessages}
        />
        <Entry
          icon="clock"
          label={t("Recent conversations")}
          href={linkTo({ kind: "recent" })}
          active={isView("recent")}
        />
        <Entry
          icon="feed"
          label={t("Combined feed")}
          href={linkToNarrow({ kind: "feed" })}
          active={isShown({ kind: "feed" })}
        />
        <Entry
          icon="at"
          label={t("Mentions")}
          href={linkToNarrow({ kind: "mentions" })}
          active={isShown({ kind: "mentions" })}
          count={mentions}
          weight="personal"
        />
        <Entry
          icon="star"
          label={t("Starred")}
          href={linkToNarrow({ kind: "starred" })}
          active={isShown({ kind: "starred" })}
        />
        <Entry
          icon="drafts"
          label={keptCount.value ? t("Drafts ({count})", { count: keptCount.value }) : t("Drafts")}
          href={linkTo({ kind: "drafts" })}
          active={isView("drafts")}
        />
        <Entry
          icon="later"
          label={scheduled > 0 ? t("Scheduled ({count})", { count: scheduled }) : t("Scheduled")}
          href={linkTo({ kind: "scheduled" })}
          active={isView("scheduled")}
        />
      </ul>
      <label class="filter">
        <span class="unseen">{t("Filter channels, topics and people")}</span>
        <input
          type="search"
          id="sidebar-filter"
          placeholder={t("Filter")}
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
      </label>
      <Boundary what="the list of direct messages">
        <Directs filter={filter.value} />
      </Boundary>
      <Boundary what="the list of channels">
        <Channels filter={filter.value} />
      </Boundary>
      <ul class="sidebar-foot">
        <Entry
          icon="hash"
          label={t("All channels")}
          href={linkTo({ kind: "channels" })}
          active={route.value.kind === "channels"}
        />
        <Entry
          icon="people"
          label={t("User groups")}
          href={linkTo({ kind: "groups" })}
          active={route.value.kind === "groups"}
        />
        <Entry
          icon="settings"
          label={t("Settings")}
          href={linkTo({ kind: "settings", section: "profile" })}
          active={route.value.kind === "settings" || route.value.kind === "organization"}
        />
      </ul>
    </nav>
  );
}

/** Scrolls the sidebar to the row of what the page shows, with a little around it. */
function scrollToCurrent(frame: HTMLElement | null): void {
  const row = frame?.querySelector('[aria-current="page"]:not(.sidebar-foot *)')?.getBoundingClientRect();
  if (!frame || !row || row.height === 0) return;
  const { top } = frame.getBoundingClientRect();
  // The rows at its end stay in sight, over the others.
  const bottom = frame.querySelector(".sidebar-foot")?.getBoundingClientRect().top ?? 0;
  const around = row.height;
  if (row.top < top) frame.scrollTop -= top - row.top + around;
  else if (row.bottom > bottom) frame.scrollTop += row.bottom - bottom + around;
}

const maxDirects = 6;
const directsId = "directs";

const keyOfDirect = ({ conversation }: DirectConversation) => conversationKey(conversation);

const Directs = memo(function Directs({ filter }: { filter: string }) {
  const showsAll = useSignal(false);
  const directs = useComputed(() => (state.value ? directConversations(state.value) : [])).value;
  const view = route.value;
  const shown =
    view.kind === "narrow" && view.narrow.kind === "direct"
      ? directConversation(view.narrow.userIds, ownUserId.value ?? 0)
      : undefined;
  const isCurrent = ({ conversation }: DirectConversation) =>
    shown !== undefined && conversationKey(conversation) === conversationKey(shown);
  const withShown =
    shown && !directs.some(isCurrent)
      ? [{ conversation: shown, unread: 0, newest: Number.POSITIVE_INFINITY }, ...directs]
      : directs;
  const query = filter.trim();
  const matchOf = matcher(query);
  const found = withShown.filter(({ conversation }) => matchOf(namesOf(conversation.userIds)) !== undefined);
  const isClosed = query === "" && isFolded(directsId);
  const listed =
    query !== "" || (showsAll.value && !isClosed)
      ? found
      : found.filter((direct, index) => isCurrent(direct) || (!isClosed && (index < maxDirects || direct.unread > 0)));
  const visible = useStillRows(listed, keyOfDirect, {
    emptied: (direct) => ({ ...direct, unread: 0 }),
    choice: `${showsAll.value} ${query} ${isClosed}`,
    opened: shown ? conversationKey(shown) : "",
  });
  const shownCount = useGrowingCount(visible.length, query);
  return (
    <Section
      id={directsId}
      name={t("Direct messages")}
      title={<a href={linkToNarrow({ kind: "directs" })}>{t("Direct messages")}</a>}
      unread={directs.reduce((sum, { unread }) => sum + unread, 0)}
      weight="personal"
    >
      {rows(visible.slice(0, shownCount), ({ conversation, unread }) => {
        const [first = 0] = conversation.userIds;
        const presence =
          state.value && conversation.userIds.length === 1 ? presenceStatusOf(state.value, first) : undefined;
        return (
          <li key={conversation.userIds.join(",")}>
            <a
              class={`nav ${isShown(conversation) ? "active" : ""}`}
              href={linkToNarrow(conversation)}
              aria-current={isShown(conversation) ? "page" : undefined}
            >
              <span class="nav-face">
                {presence ? (
                  <>
                    <Avatar user={users.value?.get(first)} size={20} />
                    <span class={`presence ${presence}`} title={presenceNames()[presence]} />
                  </>
                ) : (
                  <Icon name="people" size={15} />
                )}
              </span>
              <span class="grow">{namesOf(conversation.userIds)}</span>
              <Count value={unread} weight="personal" />
            </a>
          </li>
        );
      })}
      {!query && !isClosed && (showsAll.value ? found.length > maxDirects : found.length > listed.length) && (
        <li>
          <button
            type="button"
            class="plain quiet nav"
            onClick={() => {
              showsAll.value = !showsAll.value;
            }}
          >
            {showsAll.value ? t("Fewer") : t("{count} more", { count: found.length - listed.length })}
          </button>
        </li>
      )}
    </Section>
  );
});

const Channels = memo(function Channels({ filter }: { filter: string }) {
  const list = listedChannels.value;
  const query = filter.trim();
  const matchOf = matcher(query);
  const known = topicsByChannel.value;
  const hasTopic = ({ channel, topics }: SubscribedChannel) =>
    [...(known.get(channel.stream_id)?.values() ?? topics)].some(
      ({ conversation }) => conversation.kind === "topic" && matchOf(topicName(conversation.topic)) !== undefined,
    );
  const found =
    query === "" ? list : list.filter((entry) => matchOf(entry.channel.name) !== undefined || hasTopic(entry));
  useEffect(() => {
    if (query !== "") for (const { channel } of list) needTopics(channel.stream_id);
  }, [query !== ""]);
  const shownCount = useGrowingCount(found.length, query);
  const inFirst = new Set(found.slice(0, shownCount));
  const view = route.value;
  const isOpen = ({ channel }: SubscribedChannel) =>
    view.kind === "narrow" && "channelId" in view.narrow && view.narrow.channelId === channel.stream_id;
  const groups = channelGroups.value.flatMap((group) => {
    const shown = group.channels.filter((entry) => inFirst.has(entry));
    return shown.length > 0 || group.isLast ? [{ ...group, channels: shown }] : [];
  });
  return (
    <>
      <OtherChannel />
      {groups.map(({ id, name, channels, isLast }) => (
        <Section
          key={id}
          id={id}
          name={name}
          unread={channels.reduce((sum, { subscription, unread }) => sum + (subscription.is_muted ? 0 : unread), 0)}
          tools={
            isLast && (
              <IconButton
                icon="plus"
                size={15}
                label={t("Browse and create channels")}
                onClick={() => go({ kind: "channels" })}
              />
            )
          }
        >
          {rows(query === "" && isFolded(id) ? channels.filter(isOpen) : channels, (entry) => (
            <ChannelEntry key={entry.channel.stream_id} entry={entry} query={query} />
          ))}
        </Section>
      ))}
    </>
  );
});

const firstRows = 15;
const rowsPerFrame = 8;

/** How many of many rows are rendered: for each query few at first, and more in each frame, so that no frame takes long. */
function useGrowingCount(total: number, query: string): number {
  const grown = useSignal({ query, count: firstRows });
  const count = grown.value.query === query ? grown.value.count : firstRows;
  useEffect(() => {
    if (count >= total) return;
    const request = requestAnimationFrame(() => {
      grown.value = { query, count: count + rowsPerFrame };
    });
    return () => cancelAnimationFrame(request);
  }, [count, total, query]);
  return count;
}

/** The channel that the page shows, if the user is not subscribed to it. */
function OtherChannel() {
  const view = route.value;
  const narrow = view.kind === "narrow" ? view.narrow : undefined;
  if (narrow?.kind !== "channel" && narrow?.kind !== "topic") return null;
  const { channelId } = narrow;
  if (subscriptions.value?.has(channelId) || !channels.value?.has(channelId)) return null;
  const channel = { kind: "channel" as const, channelId };
  const topic = narrow.kind === "topic" && {
    conversation: narrow,
    ...{ unread: 0, mentions: 0, muted: false, followed: false, newest: 0 },
  };
  return (
    <section>
      <header class="nav-head">
        <h2>{t("Not subscribed")}</h2>
      </header>
      <ul>
        <li class="channel">
          <div class="nav-row">
            <a
              class={`nav ${topic ? "" : "active"}`}
              href={linkToNarrow(channel)}
              aria-current={topic ? undefined : "page"}
            >
              <PrivacyIcon channelId={channelId} />
              <span class="grow">{channelName(channelId)}</span>
            </a>
          </div>
          {topic && (
            <ul class="topics">
              <TopicRow topic={topic} isShown />
            </ul>
          )}
        </li>
      </ul>
    </section>
  );
}
