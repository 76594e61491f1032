import { beforeAll, expect, test } from "vitest";
import { administrators, members } from "../../shared/base/schema/system-groups.ts";
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

const withLimitedGuests = (act: () => Promise<unknown>) => withSettings({ can_access_all_users_group: members }, act);
const noSuchUser = { status: 400, body: { code: "BAD_REQUEST", msg: "No such user" } };
const idsOf = (users: { user_id: number }[]) => users.map(({ user_id }) => user_id);
const sendMessage = (from: Person, ...to: Person[]) =>
  from.call("POST", "/messages", { type: "direct", to: to.map(({ id }) => id), content: "Who's there?" });

test("limited guests get a list of the users whom they can access, and all others the full list", async () => {
  const robot = await aBot(stranger);
  const listed = async (person: Person, params = {}) =>
    idsOf((await person.call("GET", "/users", params)).body.members);
  const user_ids = [guest, friend, stranger, robot].map(({ id }) => id);

  expect(await listed(guest)).toEqual(expect.arrayContaining(user_ids));
  await withLimitedGuests(async () => {
    const accessible = await listed(guest);
    expect(accessible).toEqual(expect.arrayContaining([guest.id, friend.id, robot.id]));
    expect(accessible).not.toContain(stranger.id);
    expect(await listed(guest, { user_ids })).toEqual([guest.id, friend.id, robot.id]);
    expect(await listed(friend, { user_ids })).toEqual(user_ids);
    expect(await listed(robot, { user_ids })).toEqual(user_ids);
  });
  expect(await listed(guest, { user_ids })).toEqual(user_ids);
});

test("a hidden user gets the same errors as a nonexistent one", async () => {
  await stranger.do("POST", "/users/me/status", { status_text: "judging" });
  const cell = await aChannel("cell", [guest]);
  const pathsOf = ({ id, email }: Person) => [
    `/users/${id}`,
    `/users/${email}`,
    `/users/${id}/status`,
    `/users/${id}/subscriptions/${cell.id}`,
  ];
  await withLimitedGuests(async () => {
    for (const path of pathsOf(stranger)) expect(await guest.call("GET", path)).toMatchObject(noSuchUser);
    for (const path of pathsOf(friend)) expect((await guest.call("GET", path)).status).toBe(200);
    for (const path of pathsOf(guest)) expect((await guest.call("GET", path)).status).toBe(200);
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
  await withLimitedGuests(async () => {
    const [fullList, partialList] = [await register({}), await register({ user_list_incomplete: true })];

    const placeholder = fullList.realm_users.find(({ user_id }: { user_id: number }) => user_id === stranger.id);
    expect(placeholder).toMatchObject({
      full_name: "Unknown user",
      email: `user${stranger.id}@skein.invalid`,
      delivery_email: null,
      role: 400,
      date_joined: "1970-01-01T00:00+00:00",
      profile_data: {},
    });
    expect(idsOf(partialList.realm_users)).not.toContain(stranger.id);
    for (const state of [fullList, partialList]) {
      expect(idsOf(state.realm_users)).toEqual(expect.arrayContaining([guest.id, friend.id]));
      expect(state.user_status).not.toHaveProperty(String(stranger.id));
    }
  });
});

test("limited guests receive events only about people they can see", async () => {
  const types = { event_types: ["realm_user", "user_status"] };
  const partialListSupport = { client_capabilities: { notification_settings_null: true, user_list_incomplete: true } };
  await withLimitedGuests(async () => {
    const [fullList, partialList] = [
      await listen(guest, types),
      await listen(guest, { ...types, ...partialListSupport }),
    ];

    const newcomer = await aPerson("Claudio");
    await admin.do("PATCH", `/users/${stranger.id}`, { full_name: "Escalus the wise" });
    await stranger.do("POST", "/users/me/status", { status_text: "sleeping" });
    await friend.do("POST", "/users/me/status", { status_text: "whetting" });

    /** The user events that a client has received before the event of the friend's status, the last one. */
    const userEventsOf = async (listener: typeof fullList) => {
      expect(await listener.next("user_status")).toMatchObject({ user_id: friend.id, status_text: "whetting" });
      return listener.received.filter(({ type }) => type === "realm_user");
    };
    expect(await userEventsOf(partialList)).toEqual([]);
    expect(await userEventsOf(fullList)).toEqual([
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
  await withLimitedGuests(async () => {
    /** Events about either person, and the one that the guest has been unsubscribed. */
    const isExpected = ({ op, person }: any) =>
      person ? [lucio.id, pompey.id].includes(person.user_id) : op === "remove";
    const listener = await listen(guest, { event_types: ["realm_user", "subscription"] }, isExpected);
    const userEvents = () => listener.received.filter(({ type }) => type === "realm_user");
    const received = async (count: number) => {
      await eventually(async () => {
        await listener.poll();
        return userEvents().length >= count;
      });
      return userEvents().at(-1);
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
    expect(userEvents()).toHaveLength(3);
    await leave(guest, brothel.name);
    expect(await received(4)).toMatchObject({ op: "remove", person: { user_id: lucio.id } });
    expect(userEvents()).toHaveLength(4);
    expect(await guest.call("GET", `/users/${lucio.id}`)).toMatchObject(noSuchUser);
  });
});

test("people become visible and hidden with the guest's role and with the setting, all at once", async () => {
  const barnardine = await aPerson("Barnardine", { role: "guest" });
  const owner = await aPerson("Vincentio", { role: "owner" });
  const listener = await listen(barnardine, {
    event_types: ["realm_user"],
    client_capabilities: { notification_settings_null: true, user_list_incomplete: true },
  });
  const setRole = (role: number) => owner.do("PATCH", `/users/${barnardine.id}`, { role });
  const expectChange = async (op: string) => {
    const people = (await owner.do("GET", "/users")).members.filter(({ is_bot }: any) => !is_bot);
    const others = idsOf(people).filter((id) => id !== barnardine.id);
    const ids = await eventually(async () => {
      await listener.poll();
      const changed = listener.received.filter((event) => event.op === op).map(({ person }) => person.user_id);
      return changed.length >= others.length && changed;
    });
    expect(others).toEqual(expect.arrayContaining(ids));
    expect(new Set(ids).size).toBe(ids.length);
    listener.received.length = 0;
  };
  await withLimitedGuests(async () => {
    await expectChange("remove");
    await setRole(400);
    await expectChange("add");
    await setRole(600);
    await expectChange("remove");
  });
  await expectChange("add");
});

test("limited guests cannot message hidden users until those have sent them a message", async () => {
  const mariana = await aPerson("Mariana");
  await withLimitedGuests(async () => {
    const listener = await listen(guest, { event_types: ["realm_user"] });
    for (const to of [[mariana], [friend, mariana]])
      expect(await sendMessage(guest, ...to)).toMatchObject({
        status: 400,
        body: { msg: `Invalid user ID ${mariana.id}` },
      });
    expect((await sendMessage(guest, friend)).status).toBe(200);

    expect((await sendMessage(mariana, guest)).status).toBe(200);

    expect(await listener.next("realm_user")).toMatchObject({ op: "add", person: { user_id: mariana.id } });
    expect((await guest.call("GET", `/users/${mariana.id}`)).body.user).toMatchObject({ full_name: "Mariana" });
    expect((await sendMessage(guest, mariana)).status).toBe(200);
  });
});

test("members are never limited, and the setting accepts only two system groups", async () => {
  await withLimitedGuests(async () => {
    expect((await stranger.call("GET", `/users/${guest.id}`)).status).toBe(200);
    expect((await findUser(guest.id))?.role).toBe(600);
  });
  const owner = await aPerson("Vincentio", { role: "owner" });
  for (const value of [administrators, { direct_members: [guest.id], direct_subgroups: [] }])
    expect((await owner.call("PATCH", "/realm", { can_access_all_users_group: { new: value } })).status).toBe(400);
});

test("rendered mentions only name people that the limited guest can see", async () => {
  const robot = await aBot(stranger);
  const rendered = async (content: string) =>
    (await guest.call("POST", "/messages/render", { content })).body.rendered as string;
  await withLimitedGuests(async () => {
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
  await withLimitedGuests(async () => {
    const shown = [friend.email, `user${stranger.id}@skein.invalid`];
    // The list of all presences may be slightly outdated.
    const presences = await eventually(async () => {
      const { body } = await guest.call("GET", "/realm/presence");
      return shown.every((address) => address in body.presences) && body.presences;
    });
    expect(JSON.stringify(presences)).not.toContain(stranger.email);
    expect(await guest.call("GET", `/users/${stranger.email}/presence`)).toMatchObject(noSuchUser);
    expect(await guest.call("GET", `/users/${stranger.id}/presence`)).toMatchObject(noSuchUser);
    expect((await guest.call("GET", `/users/${friend.email}/presence`)).status).toBe(200);
  });
  expect((await guest.call("GET", `/users/${stranger.email}/presence`)).status).toBe(200);
});

test("presence events only have addresses of people that the limited guest can see", async () => {
  const newcomer = await aPerson("Claudio");
  await withLimitedGuests(async () => {
    const about = ({ user_id }: any) => user_id === newcomer.id;
    const listener = await listen(guest, { event_types: ["presence"] }, about);
    await newcomer.do("POST", "/users/me/presence", { status: "active" });
    await listener.poll();
    const [received] = listener.received;
    if (!received) return; // Large organizations have no such events, and the shared one may be large.
    expect(received).toMatchObject({ type: "presence", email: `user${newcomer.id}@skein.invalid` });
  });
});
