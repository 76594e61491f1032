import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { listen } from "../../support/listener.ts";
import { mailsTo } from "../../support/mails.ts";
import { aBot, aGroup } from "../../support/people.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, isLocal, type Person } from "../../support/world.ts";

let admin: Person;
beforeAll(async () => {
  admin = await aPerson("Angelo", { role: "administrator" });
});
const deactivate = ({ id }: Person, by = admin, params = {}) => by.call("DELETE", `/users/${id}`, params);
const reactivate = ({ id }: Person, by = admin) => by.call("POST", `/users/${id}/reactivate`);
const subscribersOf = async ({ id }: { id: number }) =>
  (await admin.call("GET", `/streams/${id}/members`)).body.subscribers;

test("a deactivated user's next request fails, and succeeds after reactivation", async () => {
  const claudio = await aPerson("Claudio");

  expect((await deactivate(claudio)).body).toEqual({ result: "success", msg: "" });
  expect(await claudio.call("GET", "/users/me")).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Account is deactivated" },
  });
  expect((await reactivate(claudio)).body).toEqual({ result: "success", msg: "" });
  expect((await claudio.call("GET", "/users/me")).body).toMatchObject({ user_id: claudio.id, is_active: true });
});

test("deactivation removes the subscriptions, with events, and reactivation restores them", async () => {
  const [claudio, lucio] = [await aPerson("Claudio"), await aPerson("Lucio")];
  const [prison, convent] = [
    await aChannel("prison", [claudio, lucio, admin], { inviteOnly: true }),
    await aChannel("convent", [claudio, lucio]),
  ];
  const listener = await listen(lucio, { event_types: ["subscription", "realm_user"] });
  const received = async (count: number) => {
    await eventually(async () => {
      await listener.poll();
      return eventsAboutClaudio().length >= count;
    });
    return eventsAboutClaudio();
  };
  const eventsAboutClaudio = () =>
    listener.received.filter(({ person, user_ids }) => (person?.user_id ?? user_ids?.[0]) === claudio.id);

  await deactivate(claudio);

  expect(await subscribersOf(prison)).toEqual([lucio.id, admin.id].sort((a, b) => a - b));
  expect(await received(3)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ op: "peer_remove", stream_ids: [prison.id], user_ids: [claudio.id] }),
      expect.objectContaining({ op: "peer_remove", stream_ids: [convent.id], user_ids: [claudio.id] }),
      expect.objectContaining({ op: "update", person: { user_id: claudio.id, is_active: false } }),
    ]),
  );
  await reactivate(claudio);
  expect(await subscribersOf(prison)).toContain(claudio.id);
  expect((await received(6)).slice(3)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ op: "peer_add", stream_ids: [prison.id], user_ids: [claudio.id] }),
      expect.objectContaining({ op: "update", person: { user_id: claudio.id, is_active: true } }),
    ]),
  );
});

test.concurrent("deactivated users are in no group, and in their groups again after reactivation", async () => {
  const claudio = await aPerson("Claudio");
  const group = await aGroup([claudio, admin]);
  const membersOf = async () =>
    (await admin.call("GET", "/user_groups")).body.user_groups.find(({ id }: any) => id === group).members;

  await deactivate(claudio);
  expect(await membersOf()).toEqual([admin.id]);
  await reactivate(claudio);
  expect(await membersOf()).toEqual(expect.arrayContaining([claudio.id, admin.id]));
});

test.concurrent("a deactivated user's bots are deactivated too, and are not reactivated with the user", async () => {
  const claudio = await aPerson("Claudio");
  const robot = await aBot(claudio);

  await deactivate(claudio);
  expect((await robot.call("GET", "/users/me")).status).toBe(401);
  await reactivate(claudio);
  expect((await robot.call("GET", "/users/me")).status).toBe(401);
  expect((await reactivate(robot)).status).toBe(200);
  expect((await robot.call("GET", "/users/me")).status).toBe(200);
});

test("only owners can deactivate and reactivate owners", async () => {
  const [vincentio, escalus] = [
    await aPerson("Vincentio", { role: "owner" }),
    await aPerson("Escalus", { role: "owner" }),
  ];
  const refused = { status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" } };

  expect(await deactivate(escalus)).toMatchObject(refused);
  expect((await deactivate(escalus, vincentio)).status).toBe(200);
  expect(await reactivate(escalus)).toMatchObject(refused);
  expect((await reactivate(escalus, vincentio)).status).toBe(200);
});

test("deactivating an unknown or deactivated user or a bot is refused, and a second reactivation has no effect", async () => {
  const [claudio, robot] = [await aPerson("Claudio"), await aBot(admin)];
  await deactivate(claudio);

  expect(await deactivate(claudio)).toMatchObject({ status: 400, body: { msg: "User is deactivated" } });
  expect(await deactivate(robot)).toMatchObject({ status: 400, body: { msg: "No such user" } });
  for (const [method, path] of [
    ["DELETE", "/users/99999999"],
    ["POST", "/users/99999999/reactivate"],
  ] as const)
    expect(await admin.call(method, path)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST", msg: "No such user" },
    });
  expect((await reactivate(claudio)).status).toBe(200);
  expect((await reactivate(claudio)).status).toBe(200);
});

test("a comment over the limit is refused", async () => {
  const claudio = await aPerson("Claudio");

  expect(await deactivate(claudio, admin, { deactivation_notification_comment: "x".repeat(2001) })).toMatchObject({
    status: 400,
    body: { msg: "deactivation_notification_comment is too long (limit: 2000 characters)" },
  });
});

test("a comment is emailed to the user, an empty one as the bare notice, and without one there is no mail", async () => {
  const claudio = await aPerson("Claudio");
  const mailsFor = async (count: number) =>
    eventually(async () => {
      const mails = await mailsTo(claudio.email);
      return mails.length === count && mails;
    });

  await deactivate(claudio);
  await reactivate(claudio);
  await deactivate(claudio, admin, { deactivation_notification_comment: "" });
  const [bare] = await mailsFor(1);
  await reactivate(claudio);
  await deactivate(claudio, admin, { deactivation_notification_comment: "Adieu,\nadieu." });
  const [, commented] = await mailsFor(2);

  expect(bare?.subject).toMatch(/^Notification of account deactivation on /);
  expect(bare?.text).toContain("Hi Claudio,");
  expect(bare?.text).not.toContain("comment");
  expect(commented?.text).toContain("administrators provided the following comment:\n\n> Adieu,\n> adieu.");
});

test.each(["moderator", "member", "guest"] as const)(
  "a %s can neither deactivate nor reactivate users",
  async (role) => {
    const [claudio, caller] = [await aPerson("Claudio"), await aPerson("Pompey", { role })];

    for (const reply of [await deactivate(claudio, caller), await reactivate(claudio, caller)])
      expect(reply).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Insufficient permission" } });
  },
);

test("users can deactivate themselves", async () => {
  const claudio = await aPerson("Claudio");

  expect((await claudio.call("DELETE", "/users/me")).body).toEqual({ result: "success", msg: "" });
  expect((await claudio.call("GET", "/users/me")).status).toBe(401);
});

describe.skipIf(!isLocal())("on a private host (an organization with one owner)", () => {
  let host: PrivateHost;
  const owner = "owner@globe.test";
  beforeAll(async () => {
    host = await aPrivateHost();
  }, 60_000);
  afterAll(() => host?.stop());

  test("the only owner cannot be deactivated by anyone", async () => {
    expect(await host.as(owner, "DELETE", "/users/1")).toMatchObject({
      status: 400,
      code: "BAD_REQUEST",
      msg: "Cannot deactivate the only organization owner",
    });
    expect(await host.as(owner, "DELETE", "/users/me")).toMatchObject({
      status: 400,
      code: "CANNOT_DEACTIVATE_LAST_USER",
      is_last_owner: true,
      entity: "organization owner",
    });
    expect(await host.as(owner, "PATCH", "/users/1", { role: 200 })).toMatchObject({
      msg: "The owner permission cannot be removed from the only organization owner.",
    });
  });

  test("of two owners who deactivate each other concurrently, one stays", async () => {
    await host.do(owner, "PATCH", "/users/2", { role: 100 });

    const replies = await Promise.all([
      host.as(owner, "DELETE", "/users/2"),
      host.as("viola@globe.test", "DELETE", "/users/1"),
    ]);

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const survivor = replies[0].status === 200 ? owner : "viola@globe.test";
    expect(await host.as(survivor, "POST", `/users/${survivor === owner ? 2 : 1}/reactivate`)).toMatchObject({
      status: 200,
    });
  });
});
