import { beforeAll, expect, test } from "vitest";
import { everyone, members } from "../../shared/schema/system-groups.ts";
import { findUser } from "../../shared/store/users/users.ts";
import { listen } from "../support/listener.ts";
import { withSettings } from "../support/organization.ts";
import { aBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Guests whom `can_access_all_users_group` excludes can only access bots and users with whom they share a channel or
 * messages.
 */

let guest: Person;
let friend: Person;
let stranger: Person;
let admin: Person;
beforeAll(async () => {
  [guest, friend, stranger, admin] = await Promise.all([
    aPerson("Barnardine", { role: "guest" }),
    aPerson("Abhorson"),
    aPerson("Escalus"),
    aPerson("Angelo", { role: "administrator" }),
  ]);
  await aChannel("prison", [guest, friend]);
});

const limited = (act: () => Promise<unknown>) => withSettings({ can_access_all_users_group: members }, act);
const noSuchUser = { status: 400, body: { code: "BAD_REQUEST", msg: "No such user" } };
const idsOf = (users: { user_id: number }[]) => users.map(({ user_id }) => user_id);
const message = (from: Person, ...to: Person[]) =>
  from.call("POST", "/messages", { type: "direct", to: to.map(({ id }) => id), content: "Who's there?" });

test("limited guests get a list of the users they can access, everyone else the full list", async () => {
  const robot = await aBot(stranger);
  const listed = async (person: Person, params = {}) =>
    idsOf((await person.call("GET", "/users", params)).body.members);
  const all = [guest, friend, stranger, robot].map(({ id }) => id);
  const user_ids = all;

  expect(await listed(guest)).toEqual(expect.arrayContaining(all));
  await limited(async () => {
    const known = await listed(guest);
    expect(known).toEqual(expect.arrayContaining([guest.id, friend.id, robot.id]));
    expect(known).not.toContain(stranger.id);
    expect(await listed(guest, { user_ids })).toEqual([guest.id, friend.id, robot.id]);
    expect(await listed(friend, { user_ids })).toEqual(all);
    expect(await listed(robot, { user_ids })).toEqual(all);
  });
  expect(await listed(guest, { user_ids })).toEqual(all);
});

test("a hidden user gets the same errors as a nonexistent one", async () => {
  await stranger.do("POST", "/users/me/status", { status_text: "judging" });
  const cell = await aChannel("cell", [guest]);
  const asked = (id: number, email: string) => [
    `/users/${id}`,
    `/users/${email}`,
    `/users/${id}/status`,
    `/users/${id}/subscriptions/${cell.id}`,
  ];
  await limited(async () => {
    for (const path of asked(stranger.id, stranger.email))
      expect(await guest.call("GET", path)).toMatchObject(noSuchUser);
    for (const path of asked(friend.id, friend.email)) expect((await guest.call("GET", path)).status).toBe(200);
    for (const path of asked(guest.id, guest.email)) expect((await guest.call("GET", path)).status).toBe(200);
    expect((await stranger.call("GET", `/users/${guest.id}`)).status).toBe(200);
  });
  expect((await guest.call("GET", `/users/${stranger.id}/status`)).status).toBe(200);
});

test("registration has placeholders for hidden users, or omits them if the client supports partial lists", async () => {
  await stranger.do("POST", "/users/me/status", { status_text: "judging" });
  const register = async (client_capabilities: object) =>
    (
      await guest.call("POST", "/register", {
        fetch_event_types: ["realm_user", "user_status"],
        client_capabilities: { notification_settings_null: true, ...client_capabilities },
      })
    ).body;
  await limited(async () => {
    const [plain, bearing] = [await register({}), await register({ user_list_incomplete: true })];

    const placeholder = plain.realm_users.find(({ user_id }: { user_id: number }) => user_id === stranger.id);
    expect(placeholder).toMatchObject({
      full_name: "Unknown user",
      email: `user${stranger.id}@skein.invalid`,
      delivery_email: null,
      role: 400,
      date_joined: "1970-01-01T00:00+00:00",
      profile_data: {},
    });
    expect(idsOf(bearing.realm_users)).not.toContain(stranger.id);
    for (const state of [plain, bearing]) {
      expect(idsOf(state.realm_users)).toEqual(expect.arrayContaining([guest.id, friend.id]));
      expect(state.user_status).not.toHaveProperty(String(stranger.id));
    }
  });
});

test("limited guests receive events only about people they can see", async () => {
  const types = { event_types: ["realm_user", "user_status"] };
  const bearing = { client_capabilities: { notification_settings_null: true, user_list_incomplete: true } };
  await limited(async () => {
    const [plain, silent] = [await listen(guest, types), await listen(guest, { ...types, ...bearing })];

    const newcomer = await aPerson("Claudio");
    await admin.do("PATCH", `/users/${stranger.id}`, { full_name: "Escalus the wise" });
    await stranger.do("POST", "/users/me/status", { status_text: "sleeping" });
    await friend.do("POST", "/users/me/status", { status_text: "whetting" });

    const last = async (listener: typeof plain) => {
      expect(await listener.next("user_status")).toMatchObject({ user_id: friend.id, status_text: "whetting" });
      return listener.received.filter(({ type }) => type === "realm_user");
    };
    expect(await last(silent)).toEqual([]);
    expect(await last(plain)).toEqual([
      expect.objectContaining({
        op: "add",
        person: expect.objectContaining({ user_id: newcomer.id, full_name: "Unknown user" }),
      }),
    ]);
  });
});

test("people become visible with a shared channel, and hidden again without it", async () => {
  const [lucio, pompey] = [await aPerson("Lucio"), await aPerson("Pompey")];
  const [street, brothel] = [await aChannel("street", [lucio]), await aChannel("brothel", [lucio])];
  const subscribe = (person: Person, name: string) =>
    admin.call("POST", "/users/me/subscriptions", {
      subscriptions: [{ name }],
      principals: [person.id],
      send_new_subscription_messages: false,
    });
  const leave = (person: Person, name: string) =>
    person.call("DELETE", "/users/me/subscriptions", { subscriptions: [name] });
  await limited(async () => {
    const about = ({ op, person }: any) => (person ? [lucio.id, pompey.id].includes(person.user_id) : op === "remove");
    const listener = await listen(guest, { event_types: ["realm_user", "subscription"] }, about);
    const people = () => listener.received.filter(({ type }) => type === "realm_user");
    const received = async (count: number) => {
      await eventually(async () => {
        await listener.poll();
        return people().length >= count;
      });
      return people().at(-1);
    };

    await subscribe(guest, street.name);
    expect(await received(1)).toMatchObject({ op: "add", person: { user_id: lucio.id, full_name: "Lucio" } });
    await subscribe(guest, brothel.name);
    await subscribe(pompey, street.name);
    expect(await received(2)).toMatchObject({ op: "add", person: { user_id: pompey.id } });
    await leave(pompey, street.name);
    expect(await received(3)).toMatchObject({
      op: "remove",
      person: { user_id: pompey.id, full_name: "Unknown user" },
    });
    await leave(guest, street.name);
    await listener.next("subscription");
    expect(people()).toHaveLength(3);
    await leave(guest, brothel.name);
    expect(await received(4)).toMatchObject({ op: "remove", person: { user_id: lucio.id } });
    expect(people()).toHaveLength(4);
    expect(await guest.call("GET", `/users/${lucio.id}`)).toMatchObject(noSuchUser);
  });
});

test("limited guests cannot message hidden users, and can see whoever messages them", async () => {
  const mariana = await aPerson("Mariana");
  await limited(async () => {
    const listener = await listen(guest, { event_types: ["realm_user"] });
    for (const to of [[mariana], [friend, mariana]])
      expect(await message(guest, ...to)).toMatchObject({
        status: 400,
        body: { msg: "You do not have permission to access some of the recipients." },
      });
    expect((await message(guest, friend)).status).toBe(200);

    expect((await message(mariana, guest)).status).toBe(200);

    expect(await listener.next("realm_user")).toMatchObject({ op: "add", person: { user_id: mariana.id } });
    expect((await guest.call("GET", `/users/${mariana.id}`)).body.user).toMatchObject({ full_name: "Mariana" });
    expect((await message(guest, mariana)).status).toBe(200);
  });
});

test("members are never limited, and the setting accepts only two system groups", async () => {
  await limited(async () => {
    expect((await stranger.call("GET", `/users/${guest.id}`)).status).toBe(200);
    expect((await findUser(guest.id))?.role).toBe(600);
  });
  const owner = await aPerson("Vincentio", { role: "owner" });
  for (const value of [everyone - 4, { direct_members: [guest.id], direct_subgroups: [] }])
    expect((await owner.call("PATCH", "/realm", { can_access_all_users_group: { new: value } })).status).toBe(400);
});

test("rendered mentions only name people that the limited guest can see", async () => {
  const robot = await aBot(stranger);
  const rendered = async (content: string) =>
    (await guest.call("POST", "/messages/render", { content })).body.rendered as string;
  await limited(async () => {
    expect(await rendered(`@_**|${stranger.id}**`)).toBe(`<p>@_<strong>|${stranger.id}</strong></p>`);
    expect(await rendered(`@_**${stranger.name}|${stranger.id}**`)).not.toContain("data-user-id");
    expect(await rendered(`@**${stranger.name}**`)).not.toContain(`data-user-id="${stranger.id}"`);
    expect(await rendered(`@_**|${friend.id}**`)).toContain("Abhorson");
    expect(await rendered(`@_**|${robot.id}**`)).toContain(`data-user-id="${robot.id}"`);
  });
  expect(await rendered(`@_**|${stranger.id}**`)).toContain("Escalus");
});

test("presence only has addresses of people that the limited guest can see", async () => {
  const ping = () => stranger.call("POST", "/users/me/presence", { status: "active" });
  await friend.do("POST", "/users/me/presence", { status: "active" });
  await ping();
  await limited(async () => {
    const shown = [friend.email, `user${stranger.id}@skein.invalid`];
    // The list of all presences may be slightly outdated.
    const presences = await eventually(async () => {
      const { body } = await guest.call("GET", "/realm/presence");
      return shown.every((address) => address in body.presences) && body.presences;
    });
    expect(JSON.stringify(presences)).not.toContain(stranger.email);
    expect(await guest.call("GET", `/users/${stranger.email}/presence`)).toMatchObject(noSuchUser);
    expect((await guest.call("GET", `/users/${stranger.id}/presence`)).status).toBe(200);
    expect((await guest.call("GET", `/users/${friend.email}/presence`)).status).toBe(200);
  });
  expect((await guest.call("GET", `/users/${stranger.email}/presence`)).status).toBe(200);
});

test("presence events only have addresses of people that the limited guest can see", async () => {
  const newcomer = await aPerson("Claudio");
  await limited(async () => {
    const about = ({ user_id }: any) => user_id === newcomer.id;
    const listener = await listen(guest, { event_types: ["presence"] }, about);
    await newcomer.do("POST", "/users/me/presence", { status: "active" });
    await listener.poll();
    const [received] = listener.received;
    if (!received) return; // Large organizations have no such events, and the shared one may be large.
    expect(received).toMatchObject({ type: "presence", email: `user${newcomer.id}@skein.invalid` });
  });
});
