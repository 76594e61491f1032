import { expect } from "vitest";
import { type Listener, listen } from "../listener.ts";
import type { Person } from "../world.ts";

/** A client that registers once, and from then on knows only what events say. */

const options = {
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_settings_object: true,
    archived_channels: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    linkifier_url_template: true,
  },
  apply_markdown: true,
  slim_presence: true,
};

type Fields = Record<string, any>;
type ById = Map<number | string, Fields>;

const byKey = (list: readonly Fields[], key: string): ById => new Map(list.map((item) => [item[key], item]));
const policyKey = ({ stream_id, topic_name }: Fields) => `${stream_id} ${topic_name.toLowerCase()}`;

/** The fields that a client follows, as sets and maps, so that only their content counts. */
function modelOf(state: Fields) {
  const groups = state.realm_user_groups.map((group: Fields) => ({ ...group, members: new Set(group.members) }));
  return {
    policies: new Map<string, Fields>(state.user_topics.map((topic: Fields) => [policyKey(topic), topic])),
    mutedTopics: state.muted_topics as [string, string, number][],
    drafts: byKey(state.drafts, "id"),
    reminders: byKey(state.reminders, "reminder_id"),
    scheduled: byKey(state.scheduled_messages, "scheduled_message_id"),
    views: byKey(state.navigation_views, "fragment"),
    mutedUsers: byKey(state.muted_users, "id"),
    defaults: new Set<number>(state.realm_default_streams),
    defaultGroups: state.realm_default_stream_groups as unknown,
    groups: byKey(groups, "id"),
    subscribed: new Map<number, string>(state.subscriptions.map(({ stream_id, name }: Fields) => [stream_id, name])),
    archived: new Map<number, boolean>(state.streams.map((one: Fields) => [one.stream_id, one.is_archived])),
    users: new Map<number, string>(
      [...state.realm_users, ...state.realm_non_active_users].map(({ user_id, full_name }: Fields) => [
        user_id,
        full_name,
      ]),
    ),
    active: new Set<number>(state.realm_users.map(({ user_id }: Fields) => user_id)),
  };
}
type Model = ReturnType<typeof modelOf>;

/** Applies an event as https://zulip.com/api/get-events describes it. */
const handlers: Record<string, (model: Model, event: any) => void> = {
  user_topic: ({ policies }, { type, id, ...topic }) => {
    if (topic.visibility_policy === 0) policies.delete(policyKey(topic));
    else policies.set(policyKey(topic), topic);
  },
  muted_topics: (model, { muted_topics }) => {
    model.mutedTopics = muted_topics;
  },
  drafts: ({ drafts }, event) => {
    for (const draft of event.drafts ?? [event.draft]) if (draft) drafts.set(draft.id, draft);
    if (event.op === "remove") drafts.delete(event.draft_id);
  },
  reminders: ({ reminders }, event) => {
    for (const one of event.reminders ?? []) reminders.set(one.reminder_id, one);
    if (event.op === "remove") reminders.delete(event.reminder_id);
  },
  scheduled_messages: ({ scheduled }, event) => {
    for (const one of event.scheduled_messages ?? [event.scheduled_message])
      if (one) scheduled.set(one.scheduled_message_id, one);
    if (event.op === "remove") scheduled.delete(event.scheduled_message_id);
  },
  navigation_view: ({ views }, event) => {
    if (event.op === "add") views.set(event.navigation_view.fragment, event.navigation_view);
    else if (event.op === "update") views.set(event.fragment, { ...views.get(event.fragment), ...event.data });
    else views.delete(event.fragment);
  },
  muted_users: (model, { muted_users }) => {
    model.mutedUsers = byKey(muted_users, "id");
  },
  default_streams: (model, { default_streams }) => {
    model.defaults = new Set(default_streams);
  },
  default_stream_groups: (model, { default_stream_groups }) => {
    model.defaultGroups = default_stream_groups;
  },
  user_group: ({ groups }, event) => {
    if (event.op === "add") groups.set(event.group.id, { ...event.group, members: new Set(event.group.members) });
    const group = groups.get(event.group_id);
    if (!group) return;
    if (event.op === "update") Object.assign(group, event.data);
    else if (event.op === "remove") groups.delete(event.group_id);
    else if (event.op === "add_members") for (const id of event.user_ids) group.members.add(id);
    else if (event.op === "remove_members") for (const id of event.user_ids) group.members.delete(id);
  },
  subscription: ({ subscribed, archived }, event) => {
    for (const { stream_id, name, is_archived } of event.subscriptions ?? []) {
      if (event.op === "remove") subscribed.delete(stream_id);
      else {
        subscribed.set(stream_id, name);
        archived.set(stream_id, is_archived);
      }
    }
  },
  stream: (model, event) => {
    const { subscribed, archived, defaults } = model;
    if (event.op === "create")
      for (const { stream_id, is_archived } of event.streams) archived.set(stream_id, is_archived);
    if (event.op === "delete")
      for (const id of event.stream_ids) {
        archived.delete(id);
        subscribed.delete(id);
        defaults.delete(id);
      }
    if (event.op !== "update") return;
    if (event.property === "is_archived" && archived.has(event.stream_id)) archived.set(event.stream_id, event.value);
    if (event.property !== "name") return;
    if (subscribed.has(event.stream_id)) subscribed.set(event.stream_id, event.value);
    // This legacy list names channels; a client renames them in it.
    model.mutedTopics = model.mutedTopics.map(([name, ...rest]) => [name === event.name ? event.value : name, ...rest]);
  },
  realm_user: ({ users, active }, { op, person }) => {
    if (op === "add") {
      users.set(person.user_id, person.full_name);
      active.add(person.user_id);
    }
    if (op === "remove") {
      users.delete(person.user_id);
      active.delete(person.user_id);
    }
    if (op !== "update") return;
    if (person.full_name !== undefined) users.set(person.user_id, person.full_name);
    if (person.is_active === true) active.add(person.user_id);
    if (person.is_active === false) active.delete(person.user_id);
  },
};

const sorted = (model: Model) =>
  Object.fromEntries(
    Object.entries(model).map(([name, value]) => [
      name,
      value instanceof Map
        ? [...value].sort(([a], [b]) => (a < b ? -1 : 1))
        : value instanceof Set
          ? [...value].sort((a, b) => Number(a) - Number(b))
          : value,
    ]),
  );

export class LiveState {
  private readonly person: Person;
  private readonly listener: Listener;
  private readonly model: Model;

  private constructor(person: Person, listener: Listener) {
    this.person = person;
    this.listener = listener;
    this.model = modelOf(listener.state);
  }

  static async register(person: Person): Promise<LiveState> {
    return new LiveState(person, await listen(person, options));
  }

  /** Applies the events so far, and checks that they lead to what a new registration says. */
  async expectFresh(): Promise<void> {
    const fresh = await LiveState.register(this.person);
    for (const { listener, model } of [this, fresh])
      for (const event of await listener.poll()) handlers[event.type]?.(model, event);
    expect(sorted(this.model), this.person.name).toEqual(sorted(fresh.model));
    for (const { queueId: queue_id } of [this.listener, fresh.listener])
      await this.person.do("DELETE", "/events", { queue_id });
  }
}
