import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { LiveState, oldestClient } from "../support/model/live-state.ts";
import { aGroup } from "../support/people.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * What a person keeps may name a channel: muted topics, in the form for older clients, and the default channels of bots. When they can
 * no longer see the channel, neither a registration nor events say its name, whichever it has since; both do again with the access.
 */

let owner: Person;
let leontes: Person;

beforeAll(async () => {
  [owner, leontes] = await Promise.all([aPerson("Paulina", { role: "owner" }), aPerson("Leontes")]);
});

const subscribe = ({ name }: Channel) =>
  owner.do("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [leontes.id] });
const unsubscribe = ({ name }: Channel) =>
  owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [name], principals: [leontes.id] });
const edit = ({ id }: Channel, change: Record<string, unknown>) => owner.do("PATCH", `/streams/${id}`, change);
const setRole = (role: number) => owner.do("PATCH", `/users/${leontes.id}`, { role });

interface Case {
  by: string;
  inviteOnly?: boolean;
  /** Whether Leontes is subscribed at first. */
  subscribed?: boolean;
  hide(channel: Channel, group: number): Promise<unknown>;
  show(channel: Channel, group: number): Promise<unknown>;
}

const cases: Case[] = [
  { by: "a subscription", inviteOnly: true, subscribed: true, hide: unsubscribe, show: subscribe },
  {
    by: "privacy",
    hide: (channel) => edit(channel, { is_private: true }),
    show: (channel) => edit(channel, { is_private: false }),
  },
  {
    by: "a group",
    inviteOnly: true,
    hide: (_, group) => owner.do("POST", `/user_groups/${group}/members`, { delete: [leontes.id] }),
    show: (_, group) => owner.do("POST", `/user_groups/${group}/members`, { add: [leontes.id] }),
  },
  { by: "a role", hide: () => setRole(600), show: () => setRole(400) },
];

test.each(cases)("names appear and disappear with the access to their channel by $by", async (one) => {
  const { by, inviteOnly = false, subscribed = false } = one;
  const group = await aGroup([leontes]);
  const isByGroup = by === "a group";
  const channel = await aChannel("sicilia", subscribed ? [owner, leontes] : [owner], {
    ...{ inviteOnly, historyPublicToSubscribers: true },
    ...(isByGroup && { permissions: { can_subscribe_group: { direct_members: [], direct_subgroups: [group] } } }),
  });
  await leontes.do("POST", "/user_topics", { stream_id: channel.id, topic: `statue by ${by}`, visibility_policy: 1 });
  const fields = ["default_sending_stream", "default_events_register_stream"];
  const bot = await leontes.do("POST", "/bots", {
    ...{ full_name: "Autolycus", short_name: unique("autolycus").replaceAll(/\W+/g, "-") },
    ...Object.fromEntries(fields.map((name) => [name, channel.name])),
  });
  const clients = [
    await LiveState.register(leontes),
    await LiveState.register(leontes, oldestClient),
    await LiveState.register(owner),
  ];
  const differences = async () =>
    Object.assign({}, ...(await Promise.all(clients.map((one) => one.differencesToFresh()))));
  const namesFor = async (person: Person) => {
    const state = await person.do("POST", "/register");
    await person.do("DELETE", "/events", { queue_id: state.queue_id });
    const shown = state.realm_bots.find(({ user_id }: any) => user_id === bot.user_id);
    const topics = state.muted_topics.filter(([, topic]: string[]) => topic === `statue by ${by}`);
    return { topics: topics.map(([name]: string[]) => name), bot: fields.map((name) => shown[name]) };
  };
  expect(await namesFor(leontes)).toEqual({ topics: [channel.name], bot: [channel.name, channel.name] });

  await one.hide(channel, group);
  const secret = unique("bohemia");
  await edit(channel, { new_name: secret });
  expect(await namesFor(leontes)).toEqual({ topics: [], bot: [null, null] });
  expect(JSON.stringify([await leontes.do("GET", "/bots"), await leontes.do("POST", "/register")])).not.toContain(
    secret,
  );
  // What the owner of the organization changes of the bot does not name it either.
  const change = { default_sending_stream: secret, full_name: unique("Autolycus").slice(0, 40) };
  expect(await owner.do("PATCH", `/bots/${bot.user_id}`, change)).toMatchObject(
    Object.fromEntries(fields.map((name) => [name, secret])),
  );
  expect(await leontes.do("PATCH", `/bots/${bot.user_id}`, { default_all_public_streams: false })).toMatchObject(
    Object.fromEntries(fields.map((name) => [name, null])),
  );
  expect(await differences()).toEqual({});
  expect(JSON.stringify(clients.slice(0, 2).map((client) => client.received))).not.toContain(secret);
  expect(await namesFor(owner)).toMatchObject({ bot: [secret, secret] });

  await one.show({ ...channel, name: secret }, group);
  expect(await namesFor(leontes)).toEqual({ topics: [secret], bot: [secret, secret] });
  expect(await differences()).toEqual({});
});
