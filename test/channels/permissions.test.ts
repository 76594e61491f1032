import { beforeAll, describe, expect, test } from "vitest";
import type { RoleName } from "../../shared/base/schema/roles.ts";
import type { NewChannel } from "../../shared/features/channels/create.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { updateChannel } from "../../shared/store/channels/channels.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** A table of who may do what, by role, kind of channel and action. */

type Action = (person: Person, channel: Channel, other: Person) => ReturnType<Person["call"]>;

const path = "/users/me/subscriptions";
const subscriptions = ({ name }: Channel) => ({ subscriptions: [{ name }] });

/** Tried in this order: `join` is the last one, because a subscription changes what is permitted. */
const actions: Record<string, Action> = {
  know: (person, { id }) => person.call("GET", `/streams/${id}`),
  list: (person, { id }) => person.call("GET", `/streams/${id}/members`),
  read: (person, { id }) =>
    person.call("GET", "/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: "channel", operand: id }],
    }),
  post: (person, { id }) => person.call("POST", "/messages", { type: "channel", to: id, topic: "t", content: "x" }),
  edit: (person, { id }) => person.call("PATCH", `/streams/${id}`, { description: `by ${person.id}` }),
  purge: (person, { id }) => person.call("POST", `/streams/${id}/delete_topic`, { topic_name: "none" }),
  add: (person, channel, other) =>
    person.call("POST", path, {
      ...subscriptions(channel),
      principals: [other.id],
      send_new_subscription_messages: false,
    }),
  remove: (person, { name }, other) => person.call("DELETE", path, { subscriptions: [name], principals: [other.id] }),
  join: (person, channel) => person.call("POST", path, subscriptions(channel)),
};

const allActions = "know list read post edit purge add remove join";
const memberActions = "know list read post add join";
const guestActions = "know list read post";
const noActions = "";

const kinds: Record<string, Partial<NewChannel>> = {
  public: {},
  "web-public": { isWebPublic: true },
  private: { inviteOnly: true },
  "private, shared history": { inviteOnly: true, historyPublicToSubscribers: true },
  archived: {},
};

/** The permitted actions by kind of channel and role: without a subscription, then with one. */
const table: Record<string, Record<RoleName, [unsubscribed: string, subscribed: string]>> = {
  public: {
    owner: [allActions, allActions],
    administrator: [allActions, allActions],
    moderator: [memberActions, memberActions],
    member: [memberActions, memberActions],
    guest: [noActions, guestActions],
  },
  "web-public": {
    owner: [allActions, allActions],
    administrator: [allActions, allActions],
    moderator: [memberActions, memberActions],
    member: [memberActions, memberActions],
    guest: ["know list read", guestActions],
  },
  private: {
    owner: ["know list edit remove", allActions],
    administrator: ["know list edit remove", allActions],
    moderator: [noActions, memberActions],
    member: [noActions, memberActions],
    guest: [noActions, guestActions],
  },
  "private, shared history": {
    owner: ["know list edit remove", allActions],
    administrator: ["know list edit remove", allActions],
    moderator: [noActions, memberActions],
    member: [noActions, memberActions],
    guest: [noActions, guestActions],
  },
  archived: {
    owner: ["know list read edit remove", "know list read edit remove"],
    administrator: ["know list read edit remove", "know list read edit remove"],
    moderator: ["know list read", "know list read"],
    member: ["know list read", "know list read"],
    guest: [noActions, "know list read"],
  },
};

const moderators = 4;
let people: Record<RoleName, Person>;
let other: Person;

beforeAll(async () => {
  const names = ["owner", "administrator", "moderator", "member", "guest"] as const;
  const users = await Promise.all(names.map((role) => aPerson(role, { role })));
  people = Object.fromEntries(names.map((role, index) => [role, users[index]])) as Record<RoleName, Person>;
  other = await aPerson("Other");
});

async function permittedActions(person: Person, channel: Channel): Promise<string> {
  const permitted: string[] = [];
  for (const [name, action] of Object.entries(actions)) {
    const { status, body } = await action(person, channel, other);
    if (status === 200) permitted.push(name);
    else expect([400, body.result]).toEqual([status, "error"]);
  }
  return permitted.join(" ");
}

const cells = Object.entries(table).flatMap(([kind, roles]) =>
  Object.entries(roles).flatMap(([role, [unsubscribed, subscribed]]) => [
    { kind, role: role as RoleName, position: "outside", permitted: unsubscribed },
    { kind, role: role as RoleName, position: "inside", permitted: subscribed },
  ]),
);

test.each(cells)(
  "$kind channel: the permitted actions of a $role $position are: $permitted",
  async ({ kind, role, position, permitted }) => {
    const person = people[role];
    const channel = await aChannel(kind, position === "inside" ? [person] : [], kinds[kind]);
    if (kind === "archived") await transact([updateChannel(channel.id, { set: { isArchived: true } })]);

    expect(await permittedActions(person, channel)).toBe(permitted);
  },
);

describe("a member with one permission of a private channel", () => {
  test.each([
    ["can_subscribe_group", "know list read add join"],
    ["can_add_subscribers_group", "know list read add join"],
    ["can_administer_channel_group", "know list edit remove"],
    ["can_remove_subscribers_group", ""],
    ["can_send_message_group", ""],
    ["can_delete_any_message_group", ""],
  ])("%s without a subscription permits: %s", async (name, permitted) => {
    const permissions = { [name]: { direct_members: [people.member.id, people.guest.id], direct_subgroups: [] } };
    const options = { inviteOnly: true, permissions };

    expect(await permittedActions(people.member, await aChannel("closet", [], options))).toBe(permitted);
    expect(await permittedActions(people.guest, await aChannel("closet", [], options))).toBe("");
  });

  test.each([
    ["can_remove_subscribers_group", "know list read post add remove join"],
    ["can_delete_any_message_group", "know list read post purge add join"],
    ["can_administer_channel_group", "know list read post edit add remove join"],
  ])("%s with a subscription permits: %s", async (name, permitted) => {
    const permissions = { [name]: { direct_members: [people.member.id], direct_subgroups: [] } };
    const channel = await aChannel("closet", [people.member], { inviteOnly: true, permissions });

    expect(await permittedActions(people.member, channel)).toBe(permitted);
  });
});

test.each(["public", "private"])("a user outside can_send_message_group of a %s channel cannot post", async (kind) => {
  const channel = await aChannel(kind, [people.member, people.moderator], {
    ...kinds[kind],
    permissions: { can_send_message_group: moderators },
  });

  expect(await permittedActions(people.member, channel)).toBe("know list read add join");
  expect(await permittedActions(people.moderator, channel)).toBe(memberActions);
});
