import { useComputed, useSignal } from "@preact/signals";
import { setSubscriptionProperty } from "../../actions.ts";
import { state } from "../../session.ts";
import { topicKey, type VisibilityPolicy, visibilityPolicies } from "../../state/model.ts";
import { type Narrow, narrowKey } from "../../state/narrow.ts";
import { tryTo } from "../../toasts.ts";
import { markAllRead } from "../messages/mark-as-read.ts";
import { Boundary, rows } from "../parts/boundary.tsx";
import { Count, Icon, IconButton, type IconName, Menu, namesOf, PrivacyIcon, topicName } from "../parts/parts.tsx";
import { changeChannelMuted, changeTopicPolicy, leaveChannel } from "../undoable.ts";
import {
  directConversations,
  presenceStatusOf,
  type SubscribedChannel,
  sortedSubscriptions,
  unreadCount,
} from "./lists.ts";
import { go, linkTo, linkToNarrow, route, sidebarOpen } from "./router.ts";

/** Whether the page shows a narrow. */
const isShown = (narrow: Narrow) =>
  route.value.kind === "narrow" && narrowKey(route.value.narrow) === narrowKey(narrow);

function Entry({
  icon,
  label,
  href,
  active,
  count,
}: {
  icon: IconName;
  label: string;
  href: string;
  active: boolean;
  count?: number;
}) {
  return (
    <li>
      <a class={`nav ${active ? "active" : ""}`} href={href} aria-current={active ? "page" : undefined}>
        <Icon name={icon} />
        <span class="grow">{label}</span>
        <Count value={count ?? 0} />
      </a>
    </li>
  );
}

/** The sidebar: views, direct messages, channels with their topics. */
export function Sidebar() {
  const filter = useSignal("");
  const counts = useComputed(() => {
    const current = state.value;
    if (!current) return undefined;
    return {
      unread: unreadCount(current),
      mentions: current.unread.mentions.size,
      drafts: current.drafts.size,
      scheduled: current.scheduled.size,
      starred: current.starred.size,
    };
  }).value;
  const isView = (kind: string) => route.value.kind === kind;
  return (
    <nav class={`sidebar ${sidebarOpen.value ? "open" : ""}`} aria-label="Channels and views">
      <ul>
        <Entry
          icon="inbox"
          label="Inbox"
          href={linkTo({ kind: "inbox" })}
          active={isView("inbox")}
          count={counts?.unread ?? 0}
        />
        <Entry icon="clock" label="Recent conversations" href={linkTo({ kind: "recent" })} active={isView("recent")} />
        <Entry
          icon="feed"
          label="Combined feed"
          href={linkToNarrow({ kind: "feed" })}
          active={isShown({ kind: "feed" })}
        />
        <Entry
          icon="at"
          label="Mentions"
          href={linkToNarrow({ kind: "mentions" })}
          active={isShown({ kind: "mentions" })}
          count={counts?.mentions ?? 0}
        />
        <Entry
          icon="star"
          label="Starred"
          href={linkToNarrow({ kind: "starred" })}
          active={isShown({ kind: "starred" })}
        />
        <Entry
          icon="drafts"
          label={`Drafts${counts?.drafts ? ` (${counts.drafts})` : ""}`}
          href={linkTo({ kind: "drafts" })}
          active={isView("drafts")}
        />
        <Entry
          icon="later"
          label={`Scheduled${counts?.scheduled ? ` (${counts.scheduled})` : ""}`}
          href={linkTo({ kind: "scheduled" })}
          active={isView("scheduled")}
        />
      </ul>
      <label class="filter">
        <span class="unseen">Filter channels and people</span>
        <input
          type="search"
          id="sidebar-filter"
          placeholder="Filter"
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
    </nav>
  );
}

const maxDirects = 6;

function Directs({ filter }: { filter: string }) {
  const showsAll = useSignal(false);
  const directs = useComputed(() => (state.value ? directConversations(state.value) : [])).value;
  const query = filter.toLowerCase();
  const found = directs.filter(({ conversation }) => namesOf(conversation.userIds).toLowerCase().includes(query));
  const visible = showsAll.value || query ? found : found.slice(0, maxDirects);
  return (
    <section>
      <header class="nav-head">
        <h2>
          <a href={linkToNarrow({ kind: "directs" })}>Direct messages</a>
        </h2>
      </header>
      <ul>
        {rows(visible, ({ conversation, unread }) => {
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
                {presence ? <span class={`presence ${presence}`} title={presence} /> : <Icon name="people" size={15} />}
                <span class="grow">{namesOf(conversation.userIds)}</span>
                <Count value={unread} />
              </a>
            </li>
          );
        })}
        {!query && found.length > maxDirects && (
          <li>
            <button
              type="button"
              class="plain quiet nav"
              onClick={() => {
                showsAll.value = !showsAll.value;
              }}
            >
              {showsAll.value ? "Fewer" : `${found.length - maxDirects} more`}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

function Channels({ filter }: { filter: string }) {
  const list = useComputed(() => (state.value ? sortedSubscriptions(state.value) : [])).value;
  const folders = useComputed(() => state.value?.folders).value;
  const query = filter.toLowerCase();
  const found = list.filter(({ channel }) => channel.name.toLowerCase().includes(query));
  const pinned = found.filter(({ subscription }) => subscription.pin_to_top);
  const unpinned = found.filter(({ subscription }) => !subscription.pin_to_top);
  const byFolder = Map.groupBy(unpinned, ({ channel }) => channel.folder_id);
  const sortedFolders = [...(folders?.values() ?? [])].sort((a, b) => a.order - b.order);
  const groups = [
    ...(pinned.length > 0 ? [{ name: "Pinned", channels: pinned }] : []),
    ...sortedFolders.flatMap(({ id, name }) => {
      const channels = byFolder.get(id) ?? [];
      return channels.length > 0 ? [{ name, channels }] : [];
    }),
    { name: "Channels", channels: unpinned.filter(({ channel }) => !folders?.has(channel.folder_id ?? -1)) },
  ];
  return (
    <>
      {groups.map(({ name, channels }) => (
        <section key={name}>
          <header class="nav-head">
            <h2>{name}</h2>
            {name === "Channels" && (
              <IconButton
                icon="plus"
                size={15}
                label="Browse and create channels"
                onClick={() => go({ kind: "channels" })}
              />
            )}
          </header>
          <ul>
            {rows(channels, (entry) => (
              <ChannelEntry key={entry.channel.stream_id} entry={entry} />
            ))}
          </ul>
        </section>
      ))}
      <section>
        <ul>
          <Entry
            icon="people"
            label="User groups"
            href={linkTo({ kind: "groups" })}
            active={route.value.kind === "groups"}
          />
          <Entry
            icon="settings"
            label="Settings"
            href={linkTo({ kind: "settings", section: "profile" })}
            active={route.value.kind === "settings"}
          />
        </ul>
      </section>
    </>
  );
}

const maxTopics = 5;
/** The same for the channel that the page shows. */
const maxTopicsOfShownChannel = 30;

function ChannelEntry({ entry: { channel, subscription, unread, topics } }: { entry: SubscribedChannel }) {
  const view = route.value;
  const narrow = { kind: "channel" as const, channelId: channel.stream_id };
  /** Whether the page shows the channel or one of its topics. */
  const isInChannel =
    view.kind === "narrow" &&
    (view.narrow.kind === "channel" || view.narrow.kind === "topic") &&
    view.narrow.channelId === channel.stream_id;
  const visible = topics.filter(({ muted }) => !muted || isInChannel);
  const isMuted = subscription.is_muted;
  return (
    <li class={isMuted ? "muted" : ""}>
      <div class="nav-row">
        <a
          class={`nav ${isShown(narrow) ? "active" : ""}`}
          href={linkToNarrow(narrow)}
          aria-current={isShown(narrow) ? "page" : undefined}
        >
          <PrivacyIcon channelId={channel.stream_id} />
          <span class="grow">{channel.name}</span>
          <Count value={unread} muted={isMuted} />
        </a>
        <Menu
          icon="more"
          label={`What to do with ${channel.name}`}
          items={[
            { label: "Mark as read", icon: "check", run: () => void markAllRead(narrow) },
            {
              label: subscription.pin_to_top ? "Unpin" : "Pin to the top",
              icon: "star",
              run: () =>
                void tryTo(() => setSubscriptionProperty(channel.stream_id, "pin_to_top", !subscription.pin_to_top)),
            },
            {
              label: isMuted ? "Unmute" : "Mute",
              icon: "mute",
              run: () => void changeChannelMuted(channel, !isMuted),
            },
            {
              label: "Channel settings",
              icon: "settings",
              run: () => go({ kind: "channel-settings", channelId: channel.stream_id }),
            },
            { label: "Leave", icon: "exit", run: () => void leaveChannel(channel) },
          ]}
        />
      </div>
      {visible.length > 0 && (isInChannel || unread > 0) && (
        <ul class="topics">
          {visible
            .slice(0, isInChannel ? maxTopicsOfShownChannel : maxTopics)
            .map(({ conversation, unread: count, muted }) => (
              <li key={conversation.topic}>
                <div class="nav-row">
                  <a
                    class={`nav topic ${isShown(conversation) ? "active" : ""}`}
                    href={linkToNarrow(conversation)}
                    aria-current={isShown(conversation) ? "page" : undefined}
                  >
                    <span class="grow">{topicName(conversation.topic)}</span>
                    <Count value={count} muted={muted} />
                  </a>
                  <TopicMenu channelId={conversation.channelId} topic={conversation.topic} />
                </div>
              </li>
            ))}
        </ul>
      )}
    </li>
  );
}

export function TopicMenu({ channelId, topic }: { channelId: number; topic: string }) {
  const policy = state.value?.topicPolicies.get(topicKey(channelId, topic)) ?? visibilityPolicies.inherited;
  const { followed, muted } = visibilityPolicies;
  /** An item that sets a policy, or that unsets it if it is the current one. */
  const policyItem = (label: string, value: VisibilityPolicy, icon: IconName) => ({
    label,
    icon,
    run: () => void changeTopicPolicy(channelId, topic, policy === value ? visibilityPolicies.inherited : value),
  });
  return (
    <Menu
      icon="more"
      label={`What to do with ${topicName(topic)}`}
      items={[
        {
          label: "Mark as read",
          icon: "check",
          run: () => void markAllRead({ kind: "topic", channelId, topic }),
        },
        policyItem(policy === followed ? "Unfollow" : "Follow", followed, "bell"),
        policyItem(policy === muted ? "Unmute" : "Mute", muted, "mute"),
      ]}
    />
  );
}
