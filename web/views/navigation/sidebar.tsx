import { useComputed, useSignal } from "@preact/signals";
import {
  markConversationRead,
  markNarrowRead,
  setSubscriptionProperty,
  setTopicPolicy,
  tryTo,
  unsubscribeFrom,
} from "../../actions.ts";
import { state } from "../../session.ts";
import { topicKey } from "../../state/model.ts";
import { type Narrow, narrowKey } from "../../state/narrow.ts";
import { Count, Icon, IconButton, type IconName, Menu, namesOf, PrivacyIcon, topicName } from "../parts/parts.tsx";
import { directConversations, presenceOf, type SubscribedChannel, sortedSubscriptions, unreadCount } from "./lists.ts";
import { go, linkTo, linkToNarrow, route, sidebarOpen } from "./router.ts";

const here = (narrow: Narrow) => route.value.kind === "narrow" && narrowKey(route.value.narrow) === narrowKey(narrow);

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
  const at = route.value;
  const is = (kind: string) => at.kind === kind;
  return (
    <nav class={`sidebar ${sidebarOpen.value ? "open" : ""}`} aria-label="Channels and views">
      <ul>
        <Entry
          icon="inbox"
          label="Inbox"
          href={linkTo({ kind: "inbox" })}
          active={is("inbox")}
          count={counts?.unread ?? 0}
        />
        <Entry icon="clock" label="Recent conversations" href={linkTo({ kind: "recent" })} active={is("recent")} />
        <Entry
          icon="feed"
          label="Combined feed"
          href={linkToNarrow({ kind: "feed" })}
          active={here({ kind: "feed" })}
        />
        <Entry
          icon="at"
          label="Mentions"
          href={linkToNarrow({ kind: "mentions" })}
          active={here({ kind: "mentions" })}
          count={counts?.mentions ?? 0}
        />
        <Entry
          icon="star"
          label="Starred"
          href={linkToNarrow({ kind: "starred" })}
          active={here({ kind: "starred" })}
        />
        <Entry
          icon="drafts"
          label={`Drafts${counts?.drafts ? ` (${counts.drafts})` : ""}`}
          href={linkTo({ kind: "drafts" })}
          active={is("drafts")}
        />
        <Entry
          icon="later"
          label={`Scheduled${counts?.scheduled ? ` (${counts.scheduled})` : ""}`}
          href={linkTo({ kind: "scheduled" })}
          active={is("scheduled")}
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
      <Directs filter={filter.value} />
      <Channels filter={filter.value} />
    </nav>
  );
}

const shownDirects = 6;

function Directs({ filter }: { filter: string }) {
  const all = useSignal(false);
  const directs = useComputed(() => (state.value ? directConversations(state.value) : [])).value;
  const query = filter.toLowerCase();
  const found = directs.filter(({ conversation }) => namesOf(conversation.userIds).toLowerCase().includes(query));
  const shown = all.value || query ? found : found.slice(0, shownDirects);
  return (
    <section>
      <header class="nav-head">
        <h2>
          <a href={linkToNarrow({ kind: "directs" })}>Direct messages</a>
        </h2>
      </header>
      <ul>
        {shown.map(({ conversation, unread }) => {
          const [first = 0] = conversation.userIds;
          const presence =
            state.value && conversation.userIds.length === 1 ? presenceOf(state.value, first) : undefined;
          return (
            <li key={conversation.userIds.join(",")}>
              <a
                class={`nav ${here(conversation) ? "active" : ""}`}
                href={linkToNarrow(conversation)}
                aria-current={here(conversation) ? "page" : undefined}
              >
                {presence ? <span class={`presence ${presence}`} title={presence} /> : <Icon name="people" size={15} />}
                <span class="grow">{namesOf(conversation.userIds)}</span>
                <Count value={unread} />
              </a>
            </li>
          );
        })}
        {!query && found.length > shownDirects && (
          <li>
            <button
              type="button"
              class="plain quiet nav"
              onClick={() => {
                all.value = !all.value;
              }}
            >
              {all.value ? "Fewer" : `${found.length - shownDirects} more`}
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
  const rest = found.filter(({ subscription }) => !subscription.pin_to_top);
  const inFolder = Map.groupBy(rest, ({ channel }) => channel.folder_id);
  const ordered = [...(folders?.values() ?? [])].sort((a, b) => a.order - b.order);
  const groups = [
    ...(pinned.length > 0 ? [{ name: "Pinned", channels: pinned }] : []),
    ...ordered.flatMap(({ id, name }) => {
      const channels = inFolder.get(id) ?? [];
      return channels.length > 0 ? [{ name, channels }] : [];
    }),
    { name: "Channels", channels: rest.filter(({ channel }) => !folders?.has(channel.folder_id ?? -1)) },
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
            {channels.map((entry) => (
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

const shownTopics = 5;

function ChannelEntry({ entry: { channel, subscription, unread, topics } }: { entry: SubscribedChannel }) {
  const at = route.value;
  const narrow: Narrow = { kind: "channel", channelId: channel.stream_id };
  const isHere =
    at.kind === "narrow" &&
    (at.narrow.kind === "channel" || at.narrow.kind === "topic") &&
    at.narrow.channelId === channel.stream_id;
  const shown = topics.filter(({ muted }) => !muted || isHere);
  const muted = subscription.is_muted;
  return (
    <li class={muted ? "muted" : ""}>
      <div class="nav-row">
        <a
          class={`nav ${here(narrow) ? "active" : ""}`}
          href={linkToNarrow(narrow)}
          aria-current={here(narrow) ? "page" : undefined}
        >
          <PrivacyIcon channelId={channel.stream_id} />
          <span class="grow">{channel.name}</span>
          <Count value={unread} muted={muted} />
        </a>
        <Menu
          icon="more"
          label={`What to do with ${channel.name}`}
          items={[
            { label: "Mark as read", icon: "check", run: () => void tryTo(() => markNarrowRead(narrow)) },
            {
              label: subscription.pin_to_top ? "Unpin" : "Pin to the top",
              icon: "star",
              run: () =>
                void tryTo(() => setSubscriptionProperty(channel.stream_id, "pin_to_top", !subscription.pin_to_top)),
            },
            {
              label: muted ? "Unmute" : "Mute",
              icon: "mute",
              run: () => void tryTo(() => setSubscriptionProperty(channel.stream_id, "is_muted", !muted)),
            },
            {
              label: "Channel settings",
              icon: "settings",
              run: () => go({ kind: "channel-settings", channelId: channel.stream_id }),
            },
            { label: "Leave", icon: "exit", run: () => void tryTo(() => unsubscribeFrom(channel.name)) },
          ]}
        />
      </div>
      {shown.length > 0 && (isHere || unread > 0) && (
        <ul class="topics">
          {shown.slice(0, isHere ? 30 : shownTopics).map(({ conversation, unread: count, muted: quiet }) => (
            <li key={conversation.topic}>
              <div class="nav-row">
                <a
                  class={`nav topic ${here(conversation) ? "active" : ""}`}
                  href={linkToNarrow(conversation)}
                  aria-current={here(conversation) ? "page" : undefined}
                >
                  <span class="grow">{topicName(conversation.topic)}</span>
                  <Count value={count} muted={quiet} />
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
  const policy = state.value?.topicPolicies.get(topicKey(channelId, topic)) ?? 0;
  const choose = (label: string, value: 0 | 1 | 2 | 3, icon: IconName) => ({
    label,
    icon,
    run: () => void tryTo(() => setTopicPolicy(channelId, topic, policy === value ? 0 : value)),
  });
  return (
    <Menu
      icon="more"
      label={`What to do with ${topicName(topic)}`}
      items={[
        {
          label: "Mark as read",
          icon: "check",
          run: () => void tryTo(() => markConversationRead({ kind: "topic", channelId, topic })),
        },
        choose(policy === 3 ? "Unfollow" : "Follow", 3, "bell"),
        choose(policy === 1 ? "Unmute" : "Mute", 1, "mute"),
      ]}
    />
  );
}
