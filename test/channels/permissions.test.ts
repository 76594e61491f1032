import { beforeAll, describe, expect, test } from "vitest";
import type { NewChannel } from "../../shared/channels/manage/create.ts";
import type { RoleName } from "../../shared/schema/roles.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { updateChannel } from "../../shared/store/channels/channels.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** A table of who may do what, by role, kind of channel and action. */

type Act = (person: Person, channel: Channel, other: Person) => ReturnType<Person["call"]>;

const path = "/users/me/subscriptions";
const subscriptions = ({ name }: Channel) => ({ subscriptions: [{ name }] });

/** In this order, because joining changes what is permitted afterwards. */
const actions: Record<string, Act> = {
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

const all = "know list read post edit purge add remove join";
const asMember = "know list read post add join";
const asGuestInside = "know list read post";
const nothing = "";

const kinds: Record<string, Partial<NewChannel>> = {
  public: {},
  "web-public": { isWebPublic: true },
  private: { inviteOnly: true },
  "private, shared history": { inviteOnly: true, historyPublicToSubscribers: true },
  archived: {},
};

/** The permitted actions of each role by kind of channel: before subscribing, then as a subscriber. */
const table: Record<string, Record<RoleName, [outside: string, inside: string]>> = {
  public: {
    owner: [all, all],
    administrator: [all, all],
    moderator: [asMember, asMember],
    member: [asMember, asMember],
    guest: [nothing, asGuestInside],
  },
  "web-public": {
    owner: [all, all],
    administrator: [all, all],
    moderator: [asMember, asMember],
    member: [asMember, asMember],
    guest: ["know list read", asGuestInside],
  },
  private: {
    owner: ["know list edit remove", all],
    administrator: ["know list edit remove", all],
    moderator: [nothing, asMember],
    member: [nothing, asMember],
    guest: [nothing, asGuestInside],
  },
  "private, shared history": {
    owner: ["know list edit remove", all],
    administrator: ["know list edit remove", all],
    moderator: [nothing, asMember],
    member: [nothing, asMember],
    guest: [nothing, asGuestInside],
  },
  archived: {
    owner: ["know list read edit remove", "know list read edit remove"],
    administrator: ["know list read edit remove", "know list read edit remove"],
    moderator: ["know list read", "know list read"],
    member: ["know list read", "know list read"],
    guest: [nothing, "know list read"],
  },
};

let people: Record<RoleName, Person>;
let other: Person;

beforeAll(async () => {
  const names = ["owner", "administrator", "moderator", "member", "guest"] as const;
  const made = await Promise.all(names.map((role) => aPerson(role, { role })));
  people = Object.fromEntries(names.map((role, index) => [role, made[index]])) as Record<RoleName, Person>;
  other = await aPerson("Other");
});

async function deedsOf(person: Person, channel: Channel): Promise<string> {
  const done: string[] = [];
  for (const [name, act] of Object.entries(actions)) {
    const { status, body } = await act(person, channel, other);
    if (status === 200) done.push(name);
    else expect([400, body.result]).toEqual([status, "error"]);
  }
  return done.join(" ");
}

const cells = Object.entries(table).flatMap(([kind, roles]) =>
  Object.entries(roles).flatMap(([role, [outside, inside]]) => [
    { kind, role: role as RoleName, inside: "outside", may: outside },
    { kind, role: role as RoleName, inside: "inside", may: inside },
  ]),
);

test.each(cells)("$kind channel, $role $inside: $may", async ({ kind, role, inside, may }) => {
  const person = people[role];
  const channel = await aChannel(kind, inside === "inside" ? [person] : [], kinds[kind]);
  if (kind === "archived") await transact([updateChannel(channel.id, { set: { isArchived: true } })]);

  expect(await deedsOf(person, channel)).toBe(may);
});

describe("a member with one permission of a private channel", () => {
  test.each([
    ["can_subscribe_group", "know list read add join"],
    ["can_add_subscribers_group", "know list read add join"],
    ["can_administer_channel_group", "know list edit remove"],
    ["can_remove_subscribers_group", ""],
    ["can_send_message_group", ""],
    ["can_delete_any_message_group", ""],
  ])("%s from outside: %s", async (name, may) => {
    const permissions = { [name]: { direct_members: [people.member.id, people.guest.id], direct_subgroups: [] } };
    const options = { inviteOnly: true, permissions };

    expect(await deedsOf(people.member, await aChannel("closet", [], options))).toBe(may);
    expect(await deedsOf(people.guest, await aChannel("closet", [], options))).toBe("");
  });

  test.each([
    ["can_remove_subscribers_group", "know list read post add remove join"],
    ["can_delete_any_message_group", "know list read post purge add join"],
    ["can_administer_channel_group", "know list read post edit add remove join"],
  ])("%s from inside: %s", async (name, may) => {
    const permissions = { [name]: { direct_members: [people.member.id], direct_subgroups: [] } };
    const channel = await aChannel("closet", [people.member], { inviteOnly: true, permissions });

    expect(await deedsOf(people.member, channel)).toBe(may);
  });
});

test.each(["public", "private"])("a user outside can_send_message_group of a %s channel cannot post", async (kind) => {
  const channel = await aChannel(kind, [people.member, people.moderator], {
    ...kinds[kind],
    permissions: { can_send_message_group: 4 },
  });

  expect(await deedsOf(people.member, channel)).toBe("know list read add join");
  expect(await deedsOf(people.moderator, channel)).toBe(asMember);
});
