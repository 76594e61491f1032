import { type ReadonlySignal, useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../base/languages/language.ts";
import { type Match, matcher } from "../base/lib/find.ts";
import { asList } from "../base/lib/json.ts";
import { closePalette, paletteEntered, paletteQuery } from "../navigation/palette-open.ts";
import { go, goToNarrow, route } from "../navigation/router.ts";
import { rowOf, selectedId } from "../navigation/selection.ts";
import { Dialog, Icon, type IconName, type MenuItem, namesOf, topicName } from "../parts/parts.tsx";
import { currentState, state } from "../session/store.ts";
import { readRecord, writeRecord } from "../session/unsent/storage.ts";
import { account } from "../session/unsent/unsent-messages.ts";
import { type Conversation, conversationKey, conversationOf, directConversation, type State } from "../state/model.ts";
import { conversationIn } from "../state/narrow.ts";
import type { RecentByKey } from "../state/recent-by-key.ts";
import { needTopics, topicsByChannel } from "../views/conversations/channel-topics.ts";
import { topicActions } from "../views/conversations/topic.tsx";
import { messageActions } from "../views/messages/message.tsx";

/**
 * Ctrl+K: finds channels, topics, people, groups and commands by their names, and what can be done with the topic and the message
 * that are selected.
 */

interface Item {
  key: string;
  icon: IconName;
  name: string;
  /** What kind of thing it is, or where. */
  detail: string;
  /** What the query is compared with. */
  text: string;
  /** The higher, the sooner it is shown among those that match equally well: the ID of the newest message. */
  newest: number;
  kind?: "channel" | "topic";
  run: () => void;
}

const maxShown = 20;
/** What was chosen last is kept in this browser until the user signs out. */
const recordId = "palette";
const maxKept = 50;
const readChosen = () => asList(readRecord(account.peek() ?? "", recordId));

/** Something that a key does. */
interface Command {
  description: string;
  keys: readonly string[];
  run: () => void;
}

export function Palette({ commands }: { commands: ReadonlySignal<readonly Command[]> }) {
  const query = paletteQuery.value;
  const [chosenIndex, setChosenIndex] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const { subscriptions, channels } = currentState();
    for (const id of subscriptions.keys()) if (channels.get(id)?.is_archived === false) needTopics(id);
  }, []);
  const items = useComputed(() =>
    state.value ? itemsOf(state.value, topicsByChannel.value, commands.value) : [],
  ).value;
  /** The keys of what was chosen before, the last one first. */
  const chosenBefore = useMemo(readChosen, []);
  const found = useMemo(() => find(items, query, chosenBefore), [items, query]);
  const index = Math.min(chosenIndex, found.length - 1);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    const others = readChosen().filter((key) => key !== item.key);
    if (account.value !== undefined) writeRecord(account.value, recordId, [item.key, ...others].slice(0, maxKept));
    closePalette();
    queueMicrotask(() => {
      // The dialog has given the focus back. In a filter or the search, the keys that follow would be typed.
      if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
      item.run();
    });
  };
  useEffect(() => {
    if (paletteEntered.value) choose(found[index]);
  }, []);
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: "nearest" });
  }, [index]);
  return (
    <Dialog title={t("Go to")} onClose={closePalette}>
      <input
        type="text"
        role="combobox"
        aria-label={t("Find channels, topics, people and commands")}
        aria-expanded={found.length > 0}
        aria-controls="palette-items"
        aria-autocomplete="list"
        aria-activedescendant={found[index] && `palette-${index}`}
        placeholder={t("Where to?")}
        autocomplete="off"
        autofocus
        class="palette-field"
        value={query}
        onInput={(event) => {
          paletteQuery.value = event.currentTarget.value;
          setChosenIndex(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            choose(found[index]);
          }
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step === 0 || found.length === 0) return;
          event.preventDefault();
          setChosenIndex((index + step + found.length) % found.length);
        }}
      />
      <ul class="palette" id="palette-items" role="listbox" aria-label={t("What was found")} ref={list}>
        {found.map((item, position) => (
          <li
            key={item.key}
            id={`palette-${position}`}
            role="option"
            tabIndex={-1}
            aria-selected={position === index}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setChosenIndex(position)}
            onClick={() => choose(item)}
          >
            <Icon name={item.icon} size={15} />
            <span class="grow">{item.name}</span>
            <span class="quiet small">{item.detail}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="quiet" role="status">
          {t("Nothing has this name.")}
        </p>
      )}
    </Dialog>
  );
}

/** The key of the item that leads to where the user is. */
function keyOfShown(): string | undefined {
  const view = route.peek();
  if (view.kind !== "narrow") return undefined;
  const { narrow } = view;
  if (narrow.kind === "channel") return `channel:${narrow.channelId}`;
  if (narrow.kind === "direct" && narrow.userIds.length === 1) return `user:${narrow.userIds[0]}`;
  const conversation = conversationIn(narrow);
  return conversation && conversationKey(conversation);
}

function find(items: readonly Item[], query: string, chosenBefore: readonly unknown[]): readonly Item[] {
  const found: { item: Item; match: Match }[] = [];
  /** The newest message of the topics that match equally well. */
  const newestOfTopics: Record<Match, number> = { 0: 0, 1: 0, 2: 0, 3: 0 };
  const search = (among: readonly Item[], matchOf: (name: string) => Match | undefined) => {
    for (const item of among) {
      const match = matchOf(item.text);
      if (match === undefined) continue;
      found.push({ item, match });
      if (item.kind === "topic") newestOfTopics[match] = Math.max(newestOfTopics[match], item.newest);
    }
  };
  search(items, matcher(withoutDomain(query)));
  if (found.length < maxShown) {
    const exact = new Set(found.map(({ item }) => item));
    const others = items.filter((item) => !exact.has(item));
    search(others, matcher(withoutDomain(query), { near: true }));
  }
  // Nobody who has not typed anything wants to go where they are.
  const offered = query.trim() === "" ? chosenBefore.filter((key) => key !== keyOfShown()) : chosenBefore;
  const places = new Map(offered.map((key, index) => [key, index]));
  const placeOf = ({ key }: Item) => places.get(key) ?? maxKept;
  // Topics are many: a channel of the same beginning would be far below them.
  const newestOf = ({ item: { kind, newest }, match }: (typeof found)[number]) =>
    kind === "channel" && query.trim() !== "" ? Math.max(newest, newestOfTopics[match] + 0.5) : newest;
  return found
    .sort(
      (a, b) =>
        a.match - b.match ||
        placeOf(a.item) - placeOf(b.item) ||
        newestOf(b) - newestOf(a) ||
        b.item.newest - a.item.newest,
    )
    .slice(0, maxShown)
    .map(({ item }) => item);
}

function itemsOf(current: State, topics: ReadonlyMap<number, RecentByKey>, commands: readonly Command[]): Item[] {
  return [
    ...conversationItems(current, topics),
    ...channelItems(current, topics),
    ...peopleItems(current),
    ...[...current.groups.values()]
      .filter(({ deactivated, is_system_group }) => !deactivated && !is_system_group)
      .map(({ id, name }) => ({
        key: `group:${id}`,
        icon: "people" as const,
        name,
        detail: t("user group"),
        text: name,
        newest: 0,
        run: () => go({ kind: "groups" }),
      })),
    ...actionItems(current),
    ...commands.map(({ description, keys: [key = ""], run }) => ({
      key: `command:${key}`,
      icon: "keyboard" as const,
      name: description,
      detail: t("key {key}", { key }),
      text: description,
      newest: -1,
      run,
    })),
  ];
}

/** What can be done with the selected message, and with the topic that is shown, or else with that of the message. */
function actionItems({ messages, userId }: State): Item[] {
  const view = route.value;
  const id = selectedId.value;
  // It may have been selected in another view.
  const message = id !== undefined && rowOf(id) ? messages.get(id) : undefined;
  const shown = view.kind === "narrow" ? conversationIn(view.narrow) : undefined;
  const conversation = shown ?? (message && conversationOf(message, userId));
  const itemsOf = (actions: readonly MenuItem[], on: string) =>
    actions.map(
      ({ label, icon = "keyboard", run }): Item => ({
        key: `action:${on}:${label}`,
        ...{ icon, name: label, detail: on, text: label, run },
        // After what one can go to, and before the commands that do the same.
        newest: -0.5,
      }),
    );
  return [
    ...(conversation?.kind === "topic"
      ? itemsOf(topicActions(conversation.channelId, conversation.topic), topicName(conversation.topic))
      : []),
    ...(message ? itemsOf(messageActions(message), t("the selected message")) : []),
  ];
}

function conversationItems(current: State, topics: ReadonlyMap<number, RecentByKey>): Item[] {
  const newestByKey = new Map<string, { conversation: Conversation; newest: number }>();
  const add = (conversation: Conversation, newest: number) => {
    const key = conversationKey(conversation);
    if ((newestByKey.get(key)?.newest ?? -1) < newest) newestByKey.set(key, { conversation, newest });
  };
  for (const known of topics.values()) for (const { conversation, maxId } of known.values()) add(conversation, maxId);
  for (const { conversation, ids } of current.unread.byConversation.values()) {
    let newest = 0;
    for (const id of ids) newest = Math.max(newest, id);
    add(conversation, newest);
  }
  for (const { conversation, maxId } of current.recentDirect.values()) add(conversation, maxId);
  return [...newestByKey].flatMap(([key, { conversation, newest }]): Item[] => {
    const run = () => goToNarrow(conversation);
    if (conversation.kind === "direct") {
      // One person is among the people.
      if (conversation.userIds.length === 1) return [];
      const name = namesOf(conversation.userIds);
      return [{ key, icon: "people", name, detail: t("direct messages"), text: name, newest, run }];
    }
    const channel = current.channels.get(conversation.channelId)?.name;
    if (channel === undefined || !current.subscriptions.has(conversation.channelId)) return [];
    const name = topicName(conversation.topic);
    return [{ key, icon: "hash", name, detail: channel, text: `${name} ${channel}`, newest, kind: "topic", run }];
  });
}

function channelItems({ channels, subscriptions }: State, topics: ReadonlyMap<number, RecentByKey>): Item[] {
  return [...channels.values()]
    .filter(({ is_archived }) => !is_archived)
    .map(({ stream_id: channelId, name, invite_only }) => {
      let newest = 0;
      for (const { maxId } of topics.get(channelId)?.values() ?? []) newest = Math.max(newest, maxId);
      return {
        key: `channel:${channelId}`,
        icon: invite_only ? ("lock" as const) : ("hash" as const),
        name,
        detail: subscriptions.has(channelId) ? t("channel") : t("channel, not subscribed"),
        text: name,
        // Before its topics.
        newest: newest + 0.5,
        kind: "channel" as const,
        run: () => goToNarrow({ kind: "channel", channelId }),
      };
    });
}

/** Leaves out the domain of an address: colleagues share it, so that it would find all of them. */
const withoutDomain = (text: string) => text.replaceAll(/@\S*/g, "");

function peopleItems({ users, userId, recentDirect, mutedUsers }: State): Item[] {
  return [...users.values()]
    .filter(({ user_id, is_active }) => is_active && !mutedUsers.has(user_id))
    .map(({ user_id, full_name, email, delivery_email }) => {
      const conversation = directConversation([user_id], userId);
      return {
        key: `user:${user_id}`,
        icon: "at" as const,
        name: user_id === userId ? t("Notes to yourself") : full_name,
        detail: t("direct messages"),
        text: `${full_name} ${withoutDomain(delivery_email ?? email)}`,
        newest: recentDirect.get(conversationKey(conversation))?.maxId ?? 0,
        run: () => goToNarrow(conversation),
      };
    });
}
