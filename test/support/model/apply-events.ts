/**
 * What a client does with the reply to `/register` and the events that follow, as https://zulip.com/api/get-events describes
 * them: each handler changes the fields that its events are about.
 */

import { placeholderUser } from "../../../shared/core/users/placeholder-user.ts";

/** The reply to a registration; and `acceptsPartialUserList`: whether the client lists no placeholders of unknown users. */
export type State = Record<string, any>;
/** An item of a list in it. */
type Item = Record<string, any>;
type Handler = (state: State, event: any) => void;

const without = (list: Item[], key: string, values: readonly unknown[]) =>
  list.filter((item) => !values.includes(item[key]));
/** Replaces the item with the same key, or appends it. */
const withItem = (list: Item[], key: string, item: Item) => [...without(list, key, [item[key]]), item];
const find = (list: Item[], key: string, value: unknown) => list.find((item) => item[key] === value);

/** Fields of items that events add, replace and remove one by one. */
const itemHandler =
  (field: string, key: string, { one, many }: { one?: string; many?: string }, removed = key): Handler =>
  (state, event) => {
    if (event.op === "remove") {
      state[field] = without(state[field], key, [event[removed]]);
      return;
    }
    for (const item of (many && event[many]) ?? [one && event[one]])
      state[field] = withItem(state[field], key, item as Item);
  };

/** Fields that an event states as a whole. */
const wholeHandler =
  (field: string, name: string): Handler =>
  (state, event) => {
    state[field] = event[name];
  };

const topicKey = (channelId: number, topic: string) => `${channelId} ${topic.toLowerCase()}`;
const channelLists = ["subscriptions", "unsubscribed", "never_subscribed", "streams"];
/** Fields of a channel for one of its subscribers only. */
const personalFields = [
  ...["color", "is_muted", "in_home_view", "pin_to_top", "audible_notifications", "desktop_notifications"],
  ...["email_notifications", "push_notifications", "wildcard_mentions_notify"],
];

export function withoutPersonalFields(channel: Item): Item {
  return Object.fromEntries(Object.entries(channel).filter(([name]) => !personalFields.includes(name)));
}

const changeChannel = (state: State, id: number, change: (channel: Item) => void) => {
  for (const list of channelLists) for (const channel of state[list]) if (channel.stream_id === id) change(channel);
};

const addTo = (ids: Set<number>, added: number[]) => {
  for (const id of added) ids.add(id);
};
const removeFrom = (ids: Set<number>, removed: number[]) => {
  for (const id of removed) ids.delete(id);
};

/** Changes the subscribers of channels, where they are listed, and their number, which the list of all channels has too. */
const changeSubscribers = (state: State, channelIds: number[], change: (ids: Set<number>) => void) => {
  for (const channelId of channelIds) {
    let count: number | undefined;
    changeChannel(state, channelId, (channel) => {
      if (channel.subscribers) {
        const ids = new Set<number>(channel.subscribers);
        change(ids);
        channel.subscribers = [...ids];
        count = ids.size;
      }
      if (count !== undefined) channel.subscriber_count = count;
    });
  }
};

/** An unread message, as `unread_msgs` groups it. */
interface Unread {
  kind: "pms" | "huddles" | "streams";
  name: string | number;
  channelId?: number;
  mentioned: boolean;
}

/** Unread messages by ID, from a registration. */
export function unreadOf({ unread_msgs }: State): Map<number, Unread> {
  const mentions = new Set<number>(unread_msgs.mentions);
  const unread = new Map<number, Unread>();
  const add = (ids: number[], entry: Omit<Unread, "mentioned">) => {
    for (const id of ids) unread.set(id, { ...entry, mentioned: mentions.has(id) });
  };
  for (const { other_user_id, unread_message_ids } of unread_msgs.pms)
    add(unread_message_ids, { kind: "pms", name: other_user_id });
  for (const { user_ids_string, unread_message_ids } of unread_msgs.huddles)
    add(unread_message_ids, { kind: "huddles", name: user_ids_string });
  for (const { stream_id, topic, unread_message_ids } of unread_msgs.streams)
    add(unread_message_ids, { kind: "streams", name: topicKey(stream_id, topic), channelId: stream_id });
  return unread;
}

/** A direct conversation, by its participants besides oneself. */
function directUnread(state: State, others: number[]): Omit<Unread, "mentioned"> {
  if (others.length <= 1) return { kind: "pms", name: others[0] ?? state.user_id };
  return { kind: "huddles", name: [...others, state.user_id].sort((a, b) => a - b).join(",") };
}
const channelUnread = (channelId: number, topic: string) =>
  ({ kind: "streams", name: topicKey(channelId, topic), channelId }) as const;

const isMention = (flags: string[]) => flags.includes("mentioned") || flags.includes("wildcard_mentioned");

const deletedIds = (event: any): number[] => event.message_ids ?? [event.message_id];

/** Events that concern messages. `state.unread` has the unread messages, from `unreadOf`. */
const messageHandlers: Record<string, Handler> = {
  message: (state, { message, flags }) => {
    state.max_message_id = Math.max(state.max_message_id, message.id);
    const others =
      message.type === "private"
        ? message.display_recipient
            .map(({ id }: Item) => id)
            .filter((id: number) => id !== state.user_id)
            .sort((a: number, b: number) => a - b)
        : undefined;
    if (others) {
      const isSame = ({ user_ids }: Item) => String([...user_ids].sort((a, b) => a - b)) === String(others);
      state.recent_private_conversations = [
        { user_ids: others, max_message_id: message.id },
        ...state.recent_private_conversations.filter((one: Item) => !isSame(one)),
      ];
    }
    if (flags.includes("read")) return;
    const entry = others ? directUnread(state, others) : channelUnread(message.stream_id, message.subject);
    state.unread.set(message.id, { ...entry, mentioned: isMention(flags) });
  },
  update_message: ({ unread }, event) => {
    for (const id of event.message_ids) {
      const entry = unread.get(id);
      if (!entry) continue;
      const { stream_id, new_stream_id = stream_id, orig_subject, subject = orig_subject } = event;
      if (orig_subject !== undefined) Object.assign(entry, channelUnread(new_stream_id, subject));
      if (id === event.message_id && event.rendered_content !== undefined) entry.mentioned = isMention(event.flags);
    }
  },
  delete_message: (state, event) => {
    const ids = deletedIds(event);
    for (const id of ids) state.unread.delete(id);
    state.starred_messages = state.starred_messages.filter((id: number) => !ids.includes(id));
  },
  update_message_flags: (state, { flag, op, messages, all, message_details = {} }) => {
    if (flag === "starred") {
      const others = state.starred_messages.filter((id: number) => !messages.includes(id));
      state.starred_messages = op === "add" ? [...others, ...messages] : others;
    }
    if (flag !== "read") return;
    if (all) state.unread.clear();
    if (op === "add") for (const id of messages) state.unread.delete(id);
    for (const [id, details] of Object.entries<any>(message_details)) {
      const entry =
        details.type === "stream"
          ? channelUnread(details.stream_id, details.topic)
          : directUnread(state, details.user_ids);
      state.unread.set(Number(id), { ...entry, mentioned: details.mentioned === true });
    }
  },
};

const channelHandlers: Record<string, Handler> = {
  subscription: (state, event) => {
    if (event.op === "add")
      for (const subscription of event.subscriptions) {
        const id = subscription.stream_id;
        state.unsubscribed = without(state.unsubscribed, "stream_id", [id]);
        state.never_subscribed = without(state.never_subscribed, "stream_id", [id]);
        state.subscriptions = withItem(state.subscriptions, "stream_id", subscription);
        // The list of all channels has the same channel, but for what belongs to the subscription.
        changeChannel(state, id, (channel) => {
          if (!("color" in channel)) Object.assign(channel, withoutSubscribers(withoutPersonalFields(subscription)));
        });
      }
    if (event.op === "remove")
      for (const { stream_id } of event.subscriptions) {
        const former = find(state.subscriptions, "stream_id", stream_id);
        if (!former) continue;
        state.subscriptions = without(state.subscriptions, "stream_id", [stream_id]);
        state.unsubscribed = withItem(state.unsubscribed, "stream_id", former);
        changeSubscribers(state, [stream_id], (ids) => removeFrom(ids, [state.user_id]));
      }
    if (event.op === "update") {
      const subscription = find(state.subscriptions, "stream_id", event.stream_id);
      if (subscription) subscription[event.property] = event.value;
    }
    if (event.op === "peer_add") changeSubscribers(state, event.stream_ids, (ids) => addTo(ids, event.user_ids));
    if (event.op === "peer_remove")
      changeSubscribers(state, event.stream_ids, (ids) => removeFrom(ids, event.user_ids));
  },
  stream: (state, event) => {
    if (event.op === "create")
      for (const channel of event.streams) {
        state.streams = withItem(state.streams, "stream_id", withoutSubscribers(channel));
        if (find([...state.subscriptions, ...state.unsubscribed], "stream_id", channel.stream_id)) continue;
        // Its subscribers come as `peer_add`.
        const added = { ...channel, subscribers: [], subscriber_count: 0 };
        state.never_subscribed = withItem(state.never_subscribed, "stream_id", added);
      }
    if (event.op === "delete") {
      for (const list of channelLists) state[list] = without(state[list], "stream_id", event.stream_ids);
      state.realm_default_streams = state.realm_default_streams.filter((id: number) => !event.stream_ids.includes(id));
    }
    if (event.op !== "update") return;
    const { type, op, id, stream_id, name, property, value, ...others } = event;
    changeChannel(state, stream_id, (channel) => Object.assign(channel, { ...others, [property]: value }));
    if (property !== "name") return;
    // What names channels instead of giving their IDs; a client renames them in it.
    for (const bot of state.realm_bots)
      for (const field of ["default_sending_stream", "default_events_register_stream"])
        if (bot[field] === name) bot[field] = value;
    state.muted_topics = state.muted_topics.map(([channelName, ...rest]: unknown[]) => [
      channelName === name ? value : channelName,
      ...rest,
    ]);
  },
  channel_folder: (state, event) => {
    if (event.op === "add") state.channel_folders.push(event.channel_folder);
    if (event.op === "update")
      Object.assign(find(state.channel_folders, "id", event.channel_folder_id) ?? {}, event.data);
    if (event.op === "reorder")
      for (const folder of state.channel_folders) folder.order = event.order.indexOf(folder.id);
  },
  default_streams: wholeHandler("realm_default_streams", "default_streams"),
  default_stream_groups: wholeHandler("realm_default_stream_groups", "default_stream_groups"),
  user_topic: (state, { type, id, ...topic }) => {
    const key = topicKey(topic.stream_id, topic.topic_name);
    state.user_topics = state.user_topics.filter((one: Item) => topicKey(one.stream_id, one.topic_name) !== key);
    if (topic.visibility_policy !== 0) state.user_topics.push(topic);
  },
  muted_topics: wholeHandler("muted_topics", "muted_topics"),
};

/** The list of all channels does not list their subscribers. */
const withoutSubscribers = ({ subscribers, partial_subscribers, ...channel }: Item) => channel;

const userLists = ["realm_users", "realm_non_active_users"];
const ownRoles = (role: number) => ({
  is_owner: role === 100,
  is_admin: role <= 200,
  is_moderator: role === 300,
  is_guest: role === 600,
});

/** Forgets a user who is no longer known, or was a placeholder, with the status and presence under that address. */
function forgetUser(state: State, id: number): void {
  for (const list of userLists) {
    for (const { email } of state[list].filter(({ user_id }: Item) => user_id === id)) delete state.presences[email];
    state[list] = without(state[list], "user_id", [id]);
  }
  for (const key of [id, placeholderUser(id).email]) delete state.presences[key];
  delete state.user_status[id];
}

const peopleHandlers: Record<string, Handler> = {
  realm_user: (state, { op, person }) => {
    const { user_id } = person;
    if (op === "add") {
      const { is_active, ...user } = person;
      forgetUser(state, user_id);
      state[is_active === false ? "realm_non_active_users" : "realm_users"].push(user);
    }
    if (op === "remove") {
      forgetUser(state, user_id);
      const { is_active: _, ...placeholder } = placeholderUser(user_id);
      if (!state.acceptsPartialUserList) state.realm_users.push(placeholder);
    }
    if (op !== "update") return;
    const user = find([...state.realm_users, ...state.realm_non_active_users], "user_id", user_id);
    if (!user) return;
    const { is_active, custom_profile_field, new_email, avatar_url_medium, avatar_source, ...changes } = person;
    Object.assign(user, changes);
    if (new_email !== undefined) user.email = new_email;
    if (changes.role !== undefined) {
      const { is_owner, is_admin, is_guest } = ownRoles(changes.role);
      Object.assign(user, { is_owner, is_admin, is_guest });
    }
    if (custom_profile_field) {
      const { id, value, ...rendered } = custom_profile_field;
      const { [id]: _, ...others } = user.profile_data;
      user.profile_data = value === null ? others : { ...others, [id]: { ...rendered, value } };
    }
    if (is_active !== undefined) {
      for (const list of userLists) state[list] = without(state[list], "user_id", [user_id]);
      state[is_active ? "realm_users" : "realm_non_active_users"].push(user);
      if (!is_active) for (const key of [user_id, user.email]) delete state.presences[key];
    }
    if (user_id !== state.user_id) return;
    for (const name of ["full_name", "email", "delivery_email", "avatar_url"])
      if (user[name] !== undefined && name in state) state[name] = user[name];
    if (avatar_url_medium !== undefined) Object.assign(state, { avatar_url_medium, avatar_source });
    if (changes.role !== undefined) Object.assign(state, ownRoles(changes.role));
  },
  realm_bot: (state, { op, bot }) => {
    if (op === "add") state.realm_bots = withItem(state.realm_bots, "user_id", bot);
    if (op === "update") Object.assign(find(state.realm_bots, "user_id", bot.user_id) ?? {}, bot);
    if (op === "delete") state.realm_bots = without(state.realm_bots, "user_id", [bot.user_id]);
  },
  user_group: (state, event) => {
    if (event.op === "add") state.realm_user_groups = withItem(state.realm_user_groups, "id", event.group);
    if (event.op === "remove") state.realm_user_groups = without(state.realm_user_groups, "id", [event.group_id]);
    const group = find(state.realm_user_groups, "id", event.group_id);
    if (!group) return;
    const add = (field: string, ids: number[]) => {
      group[field] = [...new Set([...group[field], ...ids])];
    };
    const remove = (field: string, ids: number[]) => {
      group[field] = group[field].filter((id: number) => !ids.includes(id));
    };
    if (event.op === "update") Object.assign(group, event.data);
    if (event.op === "add_members") add("members", event.user_ids);
    if (event.op === "remove_members") remove("members", event.user_ids);
    if (event.op === "add_subgroups") add("direct_subgroup_ids", event.direct_subgroup_ids);
    if (event.op === "remove_subgroups") remove("direct_subgroup_ids", event.direct_subgroup_ids);
  },
  user_status: ({ user_status: statuses }, { type, id, user_id, ...changes }) => {
    // An empty text clears a part, and so does the end of an absence.
    const status = Object.entries({ ...statuses[user_id], ...changes }).filter(
      ([, value]) => value !== "" && value !== false,
    );
    if (status.some(([name]) => name === "status_text" || name === "emoji_name" || name === "away"))
      statuses[user_id] = Object.fromEntries(status);
    else delete statuses[user_id];
  },
  muted_users: wholeHandler("muted_users", "muted_users"),
  presence: (state, { presences, email, user_id, presence, presence_last_update_id: id = -1 }) => {
    const { pushable, ...aggregated } = presence?.website ?? {};
    Object.assign(state.presences, presences ?? { [email ?? user_id]: { ...presence, aggregated } });
    state.presence_last_update_id = Math.max(state.presence_last_update_id, id);
  },
};

const ownHandlers: Record<string, Handler> = {
  user_settings: ({ user_settings }, { property, value }) => {
    user_settings[property] = value;
  },
  update_display_settings: (state, { setting_name, setting }) => {
    state[setting_name] = setting;
  },
  update_global_notifications: (state, { notification_name, setting }) => {
    state[notification_name] = setting;
  },
  drafts: itemHandler("drafts", "id", { one: "draft", many: "drafts" }, "draft_id"),
  reminders: itemHandler("reminders", "reminder_id", { many: "reminders" }),
  scheduled_messages: itemHandler("scheduled_messages", "scheduled_message_id", {
    ...{ one: "scheduled_message", many: "scheduled_messages" },
  }),
  saved_snippets: itemHandler("saved_snippets", "id", { one: "saved_snippet" }, "saved_snippet_id"),
  navigation_view: (state, event) => {
    if (event.op === "add") state.navigation_views.push(event.navigation_view);
    if (event.op === "update")
      Object.assign(find(state.navigation_views, "fragment", event.fragment) ?? {}, event.data);
    if (event.op === "remove") state.navigation_views = without(state.navigation_views, "fragment", [event.fragment]);
  },
  alert_words: wholeHandler("alert_words", "alert_words"),
  onboarding_steps: wholeHandler("onboarding_steps", "onboarding_steps"),
  push_device: ({ push_devices }, { push_account_id, type, id, ...device }) => {
    push_devices[push_account_id] = device;
  },
};

const organizationHandlers: Record<string, Handler> = {
  realm: (state, event) => {
    const changes = event.op === "update" ? { [event.property]: event.value } : (event.data ?? {});
    for (const [name, value] of Object.entries(changes)) {
      state[`realm_${name}`] = value;
      // Fields without the prefix.
      if (name in state && name.startsWith("max_")) state[name] = value;
    }
  },
  realm_user_settings_defaults: ({ realm_user_settings_defaults: defaults }, { property, value }) => {
    defaults[property] = value;
  },
  realm_domains: (state, event) => {
    if (event.op === "remove") state.realm_domains = without(state.realm_domains, "domain", [event.domain]);
    else state.realm_domains = withItem(state.realm_domains, "domain", event.realm_domain);
  },
  realm_emoji: wholeHandler("realm_emoji", "realm_emoji"),
  realm_linkifiers: wholeHandler("realm_linkifiers", "realm_linkifiers"),
  realm_playgrounds: wholeHandler("realm_playgrounds", "realm_playgrounds"),
  custom_profile_fields: (state, { fields }) => {
    state.custom_profile_fields = fields;
    // The values of a field go with it.
    const ids = new Set(fields.map(({ id }: Item) => String(id)));
    for (const user of [...state.realm_users, ...state.realm_non_active_users])
      user.profile_data &&= Object.fromEntries(Object.entries(user.profile_data).filter(([id]) => ids.has(id)));
  },
};

const handlers: Record<string, Handler> = {
  ...messageHandlers,
  ...channelHandlers,
  ...peopleHandlers,
  ...ownHandlers,
  ...organizationHandlers,
};

/** Changes the state as the event says; events without a field in it change nothing. */
export const applyEvent = (state: State, event: any): void => handlers[event.type]?.(state, event);
