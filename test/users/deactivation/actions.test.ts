import { beforeAll, describe, expect, test } from "vitest";
import { listScheduledMessages } from "../../../shared/store/messages/scheduled-messages.ts";
import { findAccount } from "../../../shared/store/users/accounts.ts";
import { findAlertWords } from "../../../shared/store/users/alert-words.ts";
import { listDevices } from "../../../shared/store/users/devices.ts";
import { listDrafts } from "../../../shared/store/users/drafts.ts";
import { listSnippets } from "../../../shared/store/users/saved-snippets.ts";
import { multipart, png } from "../../support/files.ts";
import { listen } from "../../support/listener.ts";
import { fetchMessage, sendDirect, sendToChannel } from "../../support/messages.ts";
import { scim } from "../../support/outside/scim-client.ts";
import { aBot } from "../../support/people.ts";
import { unique } from "../../support/unique.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, call, type Person } from "../../support/world.ts";

/** What is deleted together with a deactivation. */

let admin: Person;
let reader: Person;
beforeAll(async () => {
  [admin, reader] = [await aPerson("Antonio", { role: "administrator" }), await aPerson("Bassanio")];
});

const deactivate = ({ id }: Person, actions: Record<string, unknown>, by = admin) =>
  by.call("DELETE", `/users/${id}`, { actions });

/** What a person and their bot have sent to the reader, by kind, in the order in which it was sent. */
async function sentBy(person: Person, robot: Person) {
  const market = await aChannel("market", [reader, person, robot]);
  const vault = await aChannel("vault", [reader, person, robot], { inviteOnly: true });
  const direct = await sendDirect(person, [reader]);
  const inPublic = [
    await sendToChannel(person, market, "pledges"),
    await sendToChannel(person, market, "Pledges"),
    await sendToChannel(person, market, "caskets"),
  ];
  const inPrivate = await sendToChannel(person, vault, "bonds");
  const inGroup = await sendDirect(person, [reader, admin]);
  const ofOthers = await sendToChannel(reader, market, "pledges");
  const ofRobot = {
    public: await sendToChannel(robot, market, "pledges"),
    private: await sendToChannel(robot, vault, "bonds"),
    direct: await sendDirect(robot, [reader]),
  };
  return {
    delete_public_channel_messages: [...inPublic, ofRobot.public],
    delete_private_channel_messages: [inPrivate, ofRobot.private],
    delete_direct_messages: [direct, inGroup, ofRobot.direct],
    none: [ofOthers],
  };
}

const isGone = async (id: number) => (await fetchMessage(reader, id)) === undefined;

test.each(["delete_public_channel_messages", "delete_private_channel_messages", "delete_direct_messages"] as const)(
  "%s deletes these messages of the user and of their bots, with events, and no others",
  async (action) => {
    const shylock = await aPerson("Shylock");
    const { [action]: deleted, ...others } = await sentBy(shylock, await aBot(shylock));
    const kept = Object.values(others).flat();
    const listener = await listen(reader, { event_types: ["delete_message"] });

    expect((await deactivate(shylock, { [action]: true })).body).toEqual({ result: "success", msg: "" });

    const deletedIds = () =>
      listener.received.flatMap(({ message_ids, message_id }) => message_ids ?? [message_id]).sort((a, b) => a - b);
    await eventually(async () => {
      await listener.poll();
      return deletedIds().length >= deleted.length;
    });
    expect(deletedIds()).toEqual(deleted);
    for (const id of deleted) expect(await isGone(id)).toBe(true);
    for (const id of kept) expect(await isGone(id)).toBe(false);
  },
);

test("delete_profile gives the account and its bots one name and no picture, with events", async () => {
  const shylock = await aPerson("Shylock");
  const robot = await aBot(shylock);
  const picture = { credentials: shylock, ...multipart([{ filename: "face.png", content: png }]) };
  await shylock.do("POST", "/users/me/avatar", {}, picture);
  const listener = await listen(reader, { event_types: ["realm_user"] });

  await deactivate(shylock, { delete_profile: true, delete_direct_messages: false });

  for (const { id } of [shylock, robot]) {
    const { user } = await reader.do("GET", `/users/${id}`, { client_gravatar: false });
    expect(user).toMatchObject({ full_name: "Deleted user", is_active: false });
    expect(user.avatar_url).toContain("gravatar.com");
  }
  await listener.poll();
  const changes = listener.received.filter(({ person }) => person?.user_id === shylock.id).map(({ person }) => person);
  expect(Object.assign({}, ...changes)).toMatchObject({
    ...{ is_active: false, full_name: "Deleted user", avatar_source: "G" },
    avatar_url: expect.stringContaining("gravatar.com"),
  });
});

test("what does not name an action deletes nothing, and what is no action is refused", async () => {
  const shylock = await aPerson("Shylock");
  const id = await sendDirect(shylock, [reader]);

  expect((await deactivate(shylock, { delete_profile: "yes" })).body).toMatchObject({
    msg: 'actions["delete_profile"] is not a boolean',
  });
  expect((await deactivate(shylock, { delete_direct_messages: true }, reader)).body.msg).toBe(
    "Insufficient permission",
  );
  expect((await deactivate(shylock, { delete_direct_messages: false })).status).toBe(200);
  expect(await reader.do("GET", `/users/${shylock.id}`)).toMatchObject({ user: { full_name: "Shylock" } });
  expect(await isGone(id)).toBe(false);
});

describe("erase", () => {
  const password = "hath-not-a-jew-eyes";

  /** Somebody who has left what an account can have, and a bot. */
  async function aCustomer() {
    const shylock = await aPerson("Shylock", { password });
    const robot = await aBot(shylock);
    const owner = await aPerson("Duke", { role: "owner" });
    const field = await owner.do("POST", "/realm/profile_fields", { name: unique("House"), field_type: 1 });
    await shylock.do("PATCH", "/users/me/profile_data", { data: [{ id: field.id, value: "near the Rialto" }] });
    await shylock.do("POST", "/users/me/status", { status_text: "at the Rialto", emoji_name: "car" });
    await shylock.do("POST", "/drafts", {
      drafts: [{ type: "private", to: [reader.id], topic: "", content: "a pound", timestamp: 1 }],
    });
    await shylock.do("POST", "/saved_snippets", { title: "bond", content: "a pound of flesh" });
    await shylock.do("POST", "/users/me/alert_words", { alert_words: ["ducats"] });
    const deliver = Math.floor(Date.now() / 1000) + 86_400;
    await shylock.do("POST", "/scheduled_messages", {
      ...{ type: "direct", to: [reader.id], content: "tomorrow" },
      scheduled_delivery_timestamp: deliver,
    });
    const { api_key } = (await call("POST", "/fetch_api_key", { username: shylock.email, password })).body;
    return {
      shylock,
      robot,
      fieldId: field.id as number,
      sessionKey: api_key as string,
      sent: await sentBy(shylock, robot),
    };
  }

  /** Whatever the table has of somebody, as text. */
  const ownItems = async ({ id }: Person) => ({
    drafts: await listDrafts(id),
    snippets: await listSnippets(id),
    scheduled: await listScheduledMessages(id),
    devices: await listDevices(id),
    words: (await findAlertWords(id))?.words ?? [],
  });
  const nothing = { drafts: [], snippets: [], scheduled: [], devices: [], words: [] };

  const expectErased = async ({ id, email }: Person) => {
    await eventually(async () => (await findAccount(email)) === undefined);
    await expect.poll(() => ownItems({ id } as Person), { timeout: 30_000 }).toEqual(nothing);
    const { user } = await admin.do("GET", `/users/${id}`, { include_custom_profile_fields: true });
    expect(user).toMatchObject({
      ...{ full_name: "Deleted user", is_active: false, delivery_email: `deleted-user-${id}@deleted.invalid` },
      ...{ profile_data: {}, timezone: "" },
    });
    const account = await findAccount(user.delivery_email);
    expect([account?.passwordHash, account?.sessions, account?.identity]).toEqual([undefined, undefined, undefined]);
  };

  test("erases the account, its bots, messages and whatever it has, with events, for good", async () => {
    const { shylock, robot, fieldId, sessionKey, sent } = await aCustomer();
    const { none: kept, ...deleted } = sent;
    const [owner] = [await aPerson("Duke", { role: "owner" })];
    await shylock.do("PATCH", "/settings", { timezone: "Europe/Rome" });
    const listener = await listen(reader, { event_types: ["realm_user", "user_status", "delete_message"] });

    expect((await deactivate(shylock, { erase: true })).body).toEqual({ result: "success", msg: "" });

    await expectErased(shylock);
    await eventually(async () => (await findAccount(robot.email)) === undefined);
    for (const id of Object.values(deleted).flat()) await eventually(() => isGone(id));
    for (const id of kept) expect(await isGone(id)).toBe(false);
    await eventually(async () => {
      await listener.poll();
      return listener.received.some(({ type, status_text }) => type === "user_status" && status_text === "");
    });
    const changes = listener.received
      .filter(({ person }) => person?.user_id === shylock.id)
      .map(({ person }) => person);
    expect(Object.assign({}, ...changes)).toMatchObject({
      ...{ is_active: false, full_name: "Deleted user", new_email: `deleted-user-${shylock.id}@deleted.invalid` },
      custom_profile_field: { id: fieldId, value: null },
      timezone: "",
    });
    for (const key of [shylock.apiKey, sessionKey]) {
      const credentials = { email: `deleted-user-${shylock.id}@deleted.invalid`, apiKey: key };
      expect((await call("GET", "/users/me", {}, { credentials })).status).toBe(401);
    }
    expect((await admin.call("POST", `/users/${shylock.id}/reactivate`)).body.msg).toBe("This account was erased.");
    for (const change of [{ full_name: "Shylock" }, { new_email: shylock.email }, { role: 600 }])
      expect((await admin.call("PATCH", `/users/${shylock.id}`, change)).body.msg).toBe("This account was erased.");
    expect((await scim("GET", `/Users/${shylock.id}`)).status).toBe(404);
    const { records } = await owner.do("GET", "/realm/audit_log", { user_id: shylock.id, types: ["user_erased"] });
    expect(records).toMatchObject([{ acting_user_id: admin.id, name: null, before: {}, after: {} }]);
    // The address is free again.
    expect((await owner.call("POST", "/users", { email: shylock.email, full_name: "Tubal", password })).status).toBe(
      200,
    );
  });

  test("erases somebody who was deactivated before, and again without effect; for administrators", async () => {
    const { shylock, robot, sent } = await aCustomer();
    await deactivate(shylock, { delete_profile: false });
    expect((await deactivate(shylock, { delete_profile: true })).status).toBe(400);
    expect((await deactivate(shylock, { erase: true }, reader)).body.msg).toBe("Insufficient permission");
    expect(await reader.do("GET", `/users/${shylock.id}`)).toMatchObject({ user: { full_name: "Shylock" } });

    await deactivate(shylock, { erase: true });
    await expectErased(shylock);
    expect((await deactivate(shylock, { erase: true })).status).toBe(200);

    await expectErased(shylock);
    const owner = await aPerson("Duke", { role: "owner" });
    const { records } = await owner.do("GET", "/realm/audit_log", { user_id: shylock.id, types: ["user_erased"] });
    expect(records).toHaveLength(1);
    await eventually(async () => (await findAccount(robot.email)) === undefined);
    for (const id of sent.delete_direct_messages) await eventually(() => isGone(id));
  });
});
