import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describedEvents } from "../../infra/reference/events.ts";
import { featureLevel } from "../../shared/base/limits.ts";
import { maxPeopleForEvents } from "../../shared/core/presence/rules.ts";
import { toUserWire } from "../../shared/core/users/wire.ts";
import { eventForEveryone } from "../../shared/store/log/entry.ts";
import { commit } from "../../shared/store/log/log.ts";
import { findUsers, type User } from "../../shared/store/users/users.ts";
import { app } from "../support/contract/app.ts";
import { Decoder } from "../support/contract/decode.ts";
import { changeEveryKind, makeEveryKind, removeEveryKind } from "../support/contract/every-kind.ts";
import type { Client } from "../support/contract/facts.ts";
import { go } from "../support/contract/go.ts";
import { web } from "../support/contract/web.ts";
import { type Listener, listen } from "../support/listener.ts";
import { fetchMessage } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** The object in an event is the one that a registration or a list returns afterwards, field by field. */

type Fields = Record<string, any>;

const options = {
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_settings_object: true,
    archived_channels: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    linkifier_url_template: true,
    user_list_incomplete: true,
  },
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: true,
};

const by = (list: readonly Fields[] | undefined, key: string, value: unknown) =>
  list?.find((item) => item[key] === value);

/** Where the state has what an event has: each pair of the event's object and the state's, by a name of the kind. */
const pairsOf: Record<string, (event: Fields, state: Fields) => [kind: string, inEvent: unknown, inState: unknown][]> =
  {
    realm_user: ({ op, person }, { realm_users, realm_non_active_users }) => {
      const user = by([...realm_users, ...realm_non_active_users], "user_id", person.user_id);
      if (op === "add") {
        const { is_active: _, ...rest } = person;
        return [["user", rest, user]];
      }
      const {
        user_id: _,
        custom_profile_field: field,
        new_email,
        is_active,
        avatar_url_medium: _m,
        ...changes
      } = person;
      if (field) {
        const { id, ...value } = field;
        return [["profile value", value.value === null ? undefined : value, user?.profile_data[id]]];
      }
      if (new_email !== undefined) return [["address", new_email, user?.email]];
      if (is_active !== undefined) return [];
      return Object.entries(changes)
        .filter(([name]) => !["avatar_url", "avatar_source"].includes(name))
        .map(([name, value]) => [`user's ${name}`, value, user?.[name]]);
    },
    realm_bot: ({ op, bot }, { realm_bots }) => {
      const now = by(realm_bots, "user_id", bot.user_id);
      if (op === "add") return [["bot", bot, now]];
      return op === "update" ? Object.entries(bot).map(([name, value]) => [`bot's ${name}`, value, now?.[name]]) : [];
    },
    stream: (event, { streams }) => {
      if (event.op === "create")
        // The subscribers of a new channel follow, and are counted then.
        return event.streams.map((stream: Fields) => [
          "channel",
          { ...stream, subscriber_count: 0 },
          { ...by(streams, "stream_id", stream.stream_id), subscriber_count: 0 },
        ]);
      if (event.op !== "update") return [];
      const now = by(streams, "stream_id", event.stream_id);
      return [[`channel's ${event.property}`, event.value, now?.[event.property]]];
    },
    subscription: (event, { subscriptions }) => {
      if (event.op === "add")
        return event.subscriptions.map((one: Fields) => [
          "subscription",
          one,
          by(subscriptions, "stream_id", one.stream_id),
        ]);
      if (event.op !== "update") return [];
      const now = by(subscriptions, "stream_id", event.stream_id);
      return [[`subscription's ${event.property}`, event.value, now?.[event.property]]];
    },
    user_group: (event, { realm_user_groups }) => {
      if (event.op === "add") return [["group", event.group, by(realm_user_groups, "id", event.group.id)]];
      if (event.op !== "update") return [];
      const now = by(realm_user_groups, "id", event.group_id);
      return Object.entries(event.data).map(([name, value]) => [`group's ${name}`, value, now?.[name]]);
    },
    realm_emoji: (event, state) =>
      Object.entries(event.realm_emoji).map(([id, emoji]) => ["emoji", emoji, state.realm_emoji[id]]),
    realm_linkifiers: (event, state) => [["linkifiers", event.realm_linkifiers, state.realm_linkifiers]],
    realm_playgrounds: (event, state) => [["playgrounds", event.realm_playgrounds, state.realm_playgrounds]],
    realm_domains: (event, { realm_domains }) =>
      event.op === "remove"
        ? []
        : [["domain", event.realm_domain, by(realm_domains, "domain", event.realm_domain.domain)]],
    custom_profile_fields: (event, state) => [["profile fields", event.fields, state.custom_profile_fields]],
    default_stream_groups: (event, state) => [
      ["default channel groups", event.default_stream_groups, state.realm_default_stream_groups],
    ],
    channel_folder: (event, { channel_folders }) =>
      event.op === "add"
        ? [["folder", event.channel_folder, by(channel_folders, "id", event.channel_folder.id)]]
        : event.op === "update"
          ? Object.entries(event.data).map(([name, value]) => [
              `folder's ${name}`,
              value,
              by(channel_folders, "id", event.channel_folder_id)?.[name],
            ])
          : [],
    drafts: (event, { drafts }) =>
      (event.drafts ?? (event.draft ? [event.draft] : [])).map((draft: Fields) => [
        "draft",
        draft,
        by(drafts, "id", draft.id),
      ]),
    scheduled_messages: (event, { scheduled_messages }) =>
      (event.scheduled_messages ?? (event.scheduled_message ? [event.scheduled_message] : [])).map((one: Fields) => [
        "scheduled message",
        one,
        by(scheduled_messages, "scheduled_message_id", one.scheduled_message_id),
      ]),
    reminders: (event, { reminders }) =>
      (event.reminders ?? []).map((one: Fields) => ["reminder", one, by(reminders, "reminder_id", one.reminder_id)]),
    saved_snippets: (event, { saved_snippets }) =>
      event.saved_snippet ? [["snippet", event.saved_snippet, by(saved_snippets, "id", event.saved_snippet.id)]] : [],
    navigation_view: (event, { navigation_views }) =>
      event.op === "add"
        ? [["view", event.navigation_view, by(navigation_views, "fragment", event.navigation_view.fragment)]]
        : [],
    muted_users: (event, state) => [["muted users", event.muted_users, state.muted_users]],
    alert_words: (event, state) => [["alert words", event.alert_words, state.alert_words]],
    onboarding_steps: (event, state) => [["onboarding steps", event.onboarding_steps, state.onboarding_steps]],
    user_topic: ({ type: _, id: _id, ...topic }, { user_topics }) => [
      ["topic policy", topic, by(user_topics, "topic_name", topic.topic_name)],
    ],
    user_status: ({ type: _, id: _id, user_id, ...status }, { user_status }) => [
      ["status", status, user_status[user_id]],
    ],
    user_settings: ({ property, value }, { user_settings }) => [
      [`setting ${property}`, value, user_settings[property]],
    ],
    realm_user_settings_defaults: ({ property, value }, { realm_user_settings_defaults }) => [
      [`default of ${property}`, value, realm_user_settings_defaults[property]],
    ],
    realm: (event, state) =>
      event.op === "update"
        ? [[`organization's ${event.property}`, event.value, state[`realm_${event.property}`]]]
        : event.op === "update_dict" && event.property === "default"
          ? Object.entries(event.data).map(([name, value]) => [`organization's ${name}`, value, state[`realm_${name}`]])
          : [],
    attachment: ({ op, attachment, upload_space_used }, { attachments, space }) =>
      op === "remove"
        ? []
        : [
            ["file", attachment, by(attachments, "id", attachment.id)],
            ["space used", upload_space_used, space],
          ],
    message: ({ message, flags }, { messages }) => {
      const now = messages.get(message.id);
      if (!now) return [];
      // Later events tell these.
      const { reactions, submessages } = now;
      return [["message", { ...message, flags, reactions, submessages }, now]];
    },
    reaction: (event, { messages }) => {
      // Only the event has the person, for old clients.
      const { type: _, id: _id, op, message_id, user: _user, ...reaction } = event;
      const now = messages.get(message_id)?.reactions as Fields[] | undefined;
      return op === "add"
        ? [["reaction", reaction, now?.find(({ emoji_name }) => emoji_name === event.emoji_name)]]
        : [];
    },
    submessage: ({ type: _, id: _id, submessage_id, ...rest }, { messages }) => [
      [
        "submessage",
        { id: submessage_id, ...rest },
        by(messages.get(rest.message_id)?.submessages, "id", submessage_id),
      ],
    ],
  };

async function stateOf(person: Person, state: Fields, messageIds: readonly number[]): Promise<Fields> {
  const files = await person.do("GET", "/attachments");
  const messages = new Map<number, Fields>();
  for (const id of messageIds)
    messages.set(
      id,
      await fetchMessage(person, id, undefined, {
        ...{ apply_markdown: true, client_gravatar: true, allow_empty_topic_name: true },
      }),
    );
  return { ...state, attachments: files.attachments, space: files.upload_space_used, messages };
}

/** What a list has at the end is told by the last of its events. */
const whole = new Set(["realm_emoji", "realm_linkifiers", "realm_playgrounds", "custom_profile_fields", "attachment"]);
const wholeLists = ["default_stream_groups", "muted_users", "alert_words", "onboarding_steps"];
for (const type of wholeLists) whole.add(type);

function compare({ received }: Listener, state: Fields): Set<string> {
  const kinds = new Set<string>();
  const differences: unknown[] = [];
  const last = new Map(received.map((event) => [event.type, event]));
  for (const event of received) {
    if (whole.has(event.type) && last.get(event.type) !== event) continue;
    for (const [kind, inEvent, inState] of pairsOf[event.type]?.(event, state) ?? []) {
      if (!isDeepStrictEqual(inEvent, inState)) differences.push([kind, inEvent, inState]);
      kinds.add(event.type);
    }
  }
  expect(differences).toEqual([]);
  return kinds;
}

/** A person who uses a client. */
const withClient = (person: Person, { userAgent }: Client): Person => ({
  ...person,
  call: (method, path, params, options) => person.call(method, path, params, { client: userAgent, ...options }),
});

let prospero: Person;
let miranda: Person;
let made: Awaited<ReturnType<typeof makeEveryKind>>;
let listener: Listener;
/** The apps and the library, each with what it received. */
let clients: { decoder: Decoder; listener: Listener }[];

beforeAll(async () => {
  [prospero, miranda] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda", { role: "administrator" }),
  ]);
  listener = await listen(prospero, options);
  clients = await Promise.all(
    [app, web, go].map(async (client) => ({
      decoder: new Decoder(client, featureLevel),
      listener: await listen(withClient(prospero, client), client.registration),
    })),
  );
  made = await makeEveryKind(prospero, miranda);
}, 120_000);
afterAll(() => removeEveryKind(prospero, made));

test("the object in an event equals that of the next registration or list, for every kind", async () => {
  const fresh = await listen(prospero, options);
  const state = await stateOf(prospero, fresh.state, Object.values(made.messages));
  await listener.poll();

  const kinds = compare(listener, state);

  expect([...kinds].sort()).toEqual(Object.keys(pairsOf).sort());
}, 120_000);

/** What these two people do not make, or what a later level has. */
const madeElsewhere = {
  app: ["heartbeat", "realm_user remove", "user_group remove", "SignInMethod"],
  web: [
    ...["heartbeat", "push_device", "realm deactivated", "realm_export", "realm_user remove", "PersonName"],
    // Administrators see all channels, groups and bots.
    ...["stream delete", "ChannelId", "user_group remove", "realm_bot delete", "PersonId"],
    // Operators make these.
    ...["restart", "web_reload_client"],
    // Of replies.
    ...["Export", "Consent"],
    "ReportType",
  ],
  go: ["EmbeddedService"],
};

/** What clients read besides their registration, with everything that these endpoints can add. */
const lists = [
  ...["/users", "/user_groups", "/streams", "/users/me/subscriptions", "/realm/profile_fields"],
  ...["/attachments", "/drafts", "/scheduled_messages"],
];
const all = {
  ...{ include_custom_profile_fields: true, include_deactivated_groups: true, include_default: true },
  ...{ include_subscribers: true, exclude_archived: false },
};

/** Events that Zulip's own clients do not receive, because they ask for those that have replaced them. */
const replaced = ["muted_topics", "update_display_settings", "update_global_notifications"];

test("the contract of the web app has every kind of event", () => {
  const nameOf = (row: string) => `${row}Event`.replaceAll(/[_ ]/g, "").toLowerCase();
  const rows = Object.keys(web.events);
  /** Some schemas have several `op`, and the contract has a row for each. */
  const isInContract = (name: string, type: string) =>
    rows.some((row) => nameOf(row) === name || (nameOf(type) === name && row.startsWith(`${type} `)));

  const missing = describedEvents.filter(({ name, type }) => !isInContract(name.toLowerCase(), type));

  expect([...new Set(missing.map(({ type }) => type))].sort()).toEqual(replaced);
});

test("the mobile app, the web app and go-zulip decode an organization with every kind of data, and every event", async () => {
  await changeEveryKind(prospero, miranda, made);
  // Large organizations have no events of presence, and the shared one may be large.
  const { members } = await prospero.do("GET", "/users");
  const isLarge = members.length > maxPeopleForEvents;

  for (const [name, client] of Object.entries({ app, web, go }) as [keyof typeof madeElsewhere, Client][]) {
    const { decoder, listener } = clients.shift() as (typeof clients)[number];
    // The last of the changes; where reads lag, it comes later than the reply that made it, and presence wakes nobody.
    await eventually(async () => {
      await listener.poll();
      const has = (isWanted: (event: any) => boolean) => listener.received.some(isWanted);
      return (
        has(({ property, value }) => property === "folder_id" && value === null) &&
        (isLarge || has(({ type }) => type === "presence"))
      );
    });
    const reader = withClient(prospero, client);
    const { state } = await listen(reader, client.registration);
    const range = { anchor: "newest", num_before: 200, num_after: 0, apply_markdown: true, client_gravatar: false };
    const fetched = await reader.do("GET", "/messages", { ...range, allow_empty_topic_name: true });
    const problems = [
      ...decoder.reply("POST /register", state),
      ...decoder.reply("GET /messages", fetched),
      ...(
        await Promise.all(lists.map(async (path) => decoder.reply(`GET ${path}`, await reader.do("GET", path, all))))
      ).flat(),
      ...decoder.reply(
        "GET /messages/{message_id}/history",
        await reader.do("GET", `/messages/${made.messages.reacted}/history`),
      ),
      ...decoder.reply(
        "GET /users/me/{stream_id}/topics",
        await reader.do("GET", `/users/me/${made.channel.id}/topics`),
      ),
      ...listener.received.flatMap((event) => decoder.event(event)),
    ];
    expect(problems.slice(0, 30), name).toEqual([]);
    const rows = [...Object.keys(client.events), ...Object.keys(client.objects)];
    const unused = rows.filter(
      (row) =>
        !decoder.seen.has(row) && !madeElsewhere[name].includes(row) && !(isLarge && /^(Client)?presence/i.test(row)),
    );
    expect(unused, name).toEqual([]);
  }
}, 120_000);

test("the event of a new person has a hidden address for those who see it, and a picture for those who do not", async () => {
  const [prospero, miranda, caliban] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda"),
    aPerson("Caliban"),
  ]);
  await caliban.do("PATCH", "/settings", { email_address_visibility: 3 });
  const [user] = await findUsers([caliban.id]);
  const listeners = await Promise.all([prospero, miranda].map((person) => listen(person, options)));

  await commit({
    writes: [],
    events: [eventForEveryone({ type: "realm_user", op: "add", person: toUserWire(user as User) })],
  });

  for (const listener of listeners) {
    const { person } = await listener.next("realm_user");
    const { is_active: _, ...added } = person;
    const { profile_data: _data, ...registered } = by(listener.state.realm_users, "user_id", caliban.id) as Fields;
    expect(added).toEqual(registered);
  }
});
