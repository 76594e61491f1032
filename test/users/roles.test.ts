import { beforeAll, expect, test } from "vitest";
import type { Reply } from "../support/http.ts";
import { aBot, aGroup, anAddress } from "../support/people.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** What each role may do to users, bots, groups and the organization: each role tries every action. */

const roles = ["owner", "administrator", "moderator", "member", "guest", "bot", "webhook"] as const;
type Role = (typeof roles)[number];

const everybody: readonly Role[] = ["owner", "administrator", "moderator", "member", "guest"];
const members: readonly Role[] = ["owner", "administrator", "moderator", "member"];
const administrators: readonly Role[] = ["owner", "administrator"];
const owners: readonly Role[] = ["owner"];

let callers: Record<Role, Person>;
let maker: Person;
beforeAll(async () => {
  maker = await aPerson("Maker");
  const people = await Promise.all(
    (["owner", "administrator", "moderator", "member", "guest"] as const).map((role) => aPerson(role, { role })),
  );
  const robots = [await aBot(maker), await aBot(maker, 2)];
  callers = Object.fromEntries(roles.map((role, index) => [role, [...people, ...robots][index]])) as typeof callers;
});

let count = 0;
const unique = (name: string) => `${name} ${Date.now()} ${++count}`;
const aUserId = async () => (await aPerson("Someone")).id;
const aDeactivatedUser = async () => {
  const { id } = await aPerson("Gone");
  expect((await callers.owner.call("DELETE", `/users/${id}`)).status).toBe(200);
  return id;
};
const aGroupId = () => aGroup([maker]);

const actions: Record<string, { may: readonly Role[]; act: (caller: Person) => Promise<Reply> }> = {
  "create a user": {
    may: administrators,
    act: (caller) => {
      const password = "to-sleep-perchance-to-dream";
      return caller.call("POST", "/users", { email: anAddress(), full_name: "New", password });
    },
  },
  "rename a user": {
    may: administrators,
    act: async (caller) => caller.call("PATCH", `/users/${await aUserId()}`, { full_name: "Renamed" }),
  },
  "change a user's address": {
    may: administrators,
    act: async (caller) => caller.call("PATCH", `/users/${await aUserId()}`, { new_email: anAddress() }),
  },
  "make a user a moderator": {
    may: administrators,
    act: async (caller) => caller.call("PATCH", `/users/${await aUserId()}`, { role: 300 }),
  },
  "make a user an owner": {
    may: owners,
    act: async (caller) => caller.call("PATCH", `/users/${await aUserId()}`, { role: 100 }),
  },
  "demote an owner": {
    may: owners,
    act: async (caller) => caller.call("PATCH", `/users/${(await aPerson("O", { role: "owner" })).id}`, { role: 400 }),
  },
  "deactivate a user": {
    may: administrators,
    act: async (caller) => caller.call("DELETE", `/users/${await aUserId()}`),
  },
  "reactivate a user": {
    may: administrators,
    act: async (caller) => caller.call("POST", `/users/${await aDeactivatedUser()}/reactivate`),
  },
  "set another's status": {
    may: administrators,
    act: async (caller) => caller.call("POST", `/users/${await aUserId()}/status`, { status_text: "away" }),
  },
  "set one's own status": {
    may: everybody,
    act: (caller) => caller.call("POST", "/users/me/status", { status_text: "here" }),
  },
  "change one's own settings": {
    may: everybody,
    act: (caller) => caller.call("PATCH", "/settings", { enter_sends: true }),
  },
  "list users": {
    may: [...everybody, "bot"],
    act: (caller) => caller.call("GET", "/users", { user_ids: [caller.id] }),
  },
  "read one's own user": { may: [...everybody, "bot"], act: (caller) => caller.call("GET", "/users/me") },
  "read another's status": {
    may: [...everybody, "bot"],
    act: (caller) => caller.call("GET", `/users/${maker.id}/status`),
  },
  "create a bot": {
    may: members,
    act: (caller) => caller.call("POST", "/bots", { full_name: "Bot", short_name: unique("bot").replaceAll(" ", "-") }),
  },
  "rename another's bot": {
    may: administrators,
    act: async (caller) => caller.call("PATCH", `/bots/${(await aBot(maker)).id}`, { full_name: unique("Robot") }),
  },
  "deactivate another's bot": {
    may: administrators,
    act: async (caller) => caller.call("DELETE", `/bots/${(await aBot(maker)).id}`),
  },
  "change the organization": {
    may: administrators,
    act: (caller) => caller.call("PATCH", "/realm", { name: "Globe Theatre" }),
  },
  "change an owners' setting": {
    may: owners,
    act: (caller) => caller.call("PATCH", "/realm", { message_retention_days: "unlimited" }),
  },
  "create a group": {
    may: members,
    act: (caller) => caller.call("POST", "/user_groups/create", { name: unique("g"), description: "", members: [] }),
  },
  "rename another's group": {
    may: owners,
    act: async (caller) => caller.call("PATCH", `/user_groups/${await aGroupId()}`, { name: unique("h") }),
  },
  "add to another's group": {
    may: owners,
    act: async (caller) => caller.call("POST", `/user_groups/${await aGroupId()}/members`, { add: [await aUserId()] }),
  },
  "nest another's group": {
    may: owners,
    act: async (caller) =>
      caller.call("POST", `/user_groups/${await aGroupId()}/subgroups`, { add: [await aGroupId()] }),
  },
  "deactivate another's group": {
    may: owners,
    act: async (caller) => caller.call("POST", `/user_groups/${await aGroupId()}/deactivate`),
  },
  "rename a system group": { may: [], act: (caller) => caller.call("PATCH", "/user_groups/3", { name: unique("s") }) },
  "create a channel folder": {
    may: administrators,
    act: (caller) => caller.call("POST", "/channel_folders/create", { name: unique("f"), description: "" }),
  },
  "make an unknown channel a default channel": {
    may: [],
    act: (caller) => caller.call("POST", "/default_streams", { stream_id: 999_999 }),
  },
  "create a channel": {
    may: [...members, "bot"],
    act: (caller) => caller.call("POST", "/channels/create", { name: unique("c"), subscribers: [] }),
  },
};

const refusals = new Set(["BAD_REQUEST", "UNAUTHORIZED_PRINCIPAL"]);

test.each(Object.entries(actions))("exactly the allowed roles may %s", async (_, { may, act }) => {
  const allowed: Role[] = [];
  for (const role of roles) {
    const { status, body } = await act(callers[role]);
    if (status === 200) allowed.push(role);
    else {
      expect([role, status, refusals.has(body.code)]).toEqual([role, 400, true]);
      if (role === "webhook") expect(body.msg).toBe("This API is not available to incoming webhook bots.");
    }
  }
  expect(allowed).toEqual(may);
  // Without credentials, every action is refused.
  const { email } = maker;
  const nobody: Person = {
    ...maker,
    call: (method, path, params = {}) => call(method, path, params),
  };
  const impostor: Person = {
    ...maker,
    call: (method, path, params = {}) => call(method, path, params, { credentials: { email, apiKey: "x".repeat(32) } }),
  };
  for (const stranger of [nobody, impostor])
    expect(await act(stranger)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});
