import { beforeAll, expect, test } from "vitest";
import { sendToChannel } from "../support/messages.ts";
import { token, unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Who changed what: each change writes its record, with the person who made it. */

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Prospero", { role: "owner" });
});

const records = async (filter: Record<string, unknown> = {}) =>
  (await owner.do("GET", "/realm/audit_log", filter)).records as Record<string, unknown>[];

/** What the owner has changed of a kind, the newest change first. */
const changed = (type: string) => records({ acting_user_id: owner.id, types: [type] });

test("a changed role, name, address and account", async () => {
  const ariel = await aPerson("Ariel");
  const [name, email] = [unique("Ariel the Spirit"), `spirit-${token()}@globe.test`];

  await owner.do("PATCH", `/users/${ariel.id}`, { role: 300, full_name: name, new_email: email });
  await owner.do("DELETE", `/users/${ariel.id}`, { actions: { delete_profile: true } });
  await owner.do("POST", `/users/${ariel.id}/reactivate`);

  const by = { actor: "user", acting_user_id: owner.id, user_id: ariel.id };
  expect(await records({ user_id: ariel.id })).toMatchObject([
    { type: "user_reactivated", ...by },
    { type: "user_deactivated", ...by, after: { delete_profile: true } },
    { type: "email_changed", ...by, before: { delivery_email: ariel.email }, after: { delivery_email: email } },
    { type: "role_changed", ...by, before: { role: 400 }, after: { role: 300 } },
    { type: "user_renamed", ...by, name, before: { full_name: "Ariel" }, after: { full_name: name } },
    { type: "user_created", after: { role: 400 } },
  ]);
});

test("who signs in on which device, fails to, and signs out", async () => {
  const password = "Our revels now are ended!";
  const iris = await aPerson("Iris", { password });
  const signIn = (given: string) =>
    iris.call(
      "POST",
      "/fetch_api_key",
      { username: iris.email, password: given },
      { client: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" },
    );
  await signIn("wrong");
  await signIn("also wrong");
  expect(await signIn(password)).toMatchObject({ status: 200 });
  const [device] = (await iris.do("GET", "/users/me/devices")).devices;
  await iris.do("DELETE", `/users/me/devices/${device.id}`);

  const found = await records({ user_id: iris.id });
  const of = (type: string) => found.filter((record) => record.type === type);
  expect(of("signed_in")).toMatchObject([{ acting_user_id: iris.id, client: "Firefox (Linux)", device_id: device.id }]);
  expect(of("signed_out")).toMatchObject([{ acting_user_id: iris.id, before: { device_id: device.id } }]);
  // One record for each hour: the hour may have ended between the two.
  const failures = of("sign_in_failed").map(({ after }) => (after as { failures: number }).failures);
  expect(failures.reduce((sum, count) => sum + count, 0)).toBe(2);
});

test("somebody who signs in over and over adds no more records than one for each hour", async () => {
  const password = "Our revels now are ended!";
  const ceres = await aPerson("Ceres", { password });
  for (let count = 0; count < 60; count++) {
    const params = { username: ceres.email, password };
    expect(
      (await ceres.call("POST", "/fetch_api_key", params, { client: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" }))
        .status,
    ).toBe(200);
  }

  const found = await records({ user_id: ceres.id, num: 1000 });
  const of = (type: string) => found.filter((record) => record.type === type);
  const timesOf = ({ after }: Record<string, unknown>) => (after as { times?: number }).times ?? 0;
  const sum = (type: string) => of(type).reduce((total, record) => total + (timesOf(record) || 1), 0);
  // One record for each hour, or for each day: one of them may have ended meanwhile.
  expect(of("signed_in").filter((record) => timesOf(record) === 0)).toHaveLength(50);
  expect(of("signed_in").length).toBeLessThanOrEqual(52);
  expect([sum("signed_in"), sum("signed_out")]).toEqual([60, 40]);
});

test("changed settings of the organization, with what they were", async () => {
  const { realm_description: before } = await owner.do("POST", "/register", { event_types: ["realm"] });
  const description = unique("An island");
  try {
    await owner.do("PATCH", "/realm", { description });
    expect((await changed("organization_changed"))[0]).toMatchObject({
      before: { description: before },
      after: { description },
    });
  } finally {
    await owner.do("PATCH", "/realm", { description: before });
  }
});

test("changed permissions of a channel, and an archived channel, but no new description", async () => {
  const channel = await aChannel("cell", [owner]);

  await owner.do("PATCH", `/streams/${channel.id}`, { description: "Full poor" });
  await owner.do("PATCH", `/streams/${channel.id}`, { is_private: true, history_public_to_subscribers: false });
  await owner.do("DELETE", `/streams/${channel.id}`);

  const of = { stream_id: channel.id, name: channel.name };
  expect((await changed("channel_changed")).filter(({ stream_id }) => stream_id === channel.id)).toMatchObject([
    { ...of, before: { is_archived: false }, after: { is_archived: true } },
    { ...of, before: { invite_only: false }, after: { invite_only: true, history_public_to_subscribers: false } },
  ]);
});

test("a group, its members and its permissions", async () => {
  const [name, caliban] = [unique("Spirits"), await aPerson("Caliban")];

  await owner.do("POST", "/user_groups/create", { name, description: "", members: [] });
  const { user_groups } = await owner.do("GET", "/user_groups");
  const group_id = user_groups.find((group: { name: string }) => group.name === name).id;
  await owner.do("POST", `/user_groups/${group_id}/members`, { add: [caliban.id] });
  await owner.do("PATCH", `/user_groups/${group_id}`, { can_mention_group: { new: group_id } });
  await owner.do("POST", `/user_groups/${group_id}/deactivate`);

  const ofGroup = (await records({ acting_user_id: owner.id })).filter((record) => record.group_id === group_id);
  expect(ofGroup).toMatchObject([
    { type: "group_changed", before: { deactivated: false }, after: { deactivated: true } },
    { type: "group_changed", after: { can_mention_group: group_id } },
    { type: "group_members_changed", after: { add_members: [caliban.id] } },
    { type: "group_created", name },
  ]);
});

test("others' messages and topics that somebody deletes, without their texts; not one's own", async () => {
  const miranda = await aPerson("Miranda");
  const channel = await aChannel("shore", [owner, miranda]);
  const text = unique("brave new world");
  const [own, hers] = [
    await sendToChannel(owner, channel, "goodly", text),
    await sendToChannel(miranda, channel, "goodly", text),
  ];
  await sendToChannel(miranda, channel, "beauteous", text);

  await owner.do("DELETE", `/messages/${own}`);
  await owner.do("DELETE", `/messages/${hers}`);
  await owner.do("POST", `/streams/${channel.id}/delete_topic`, { topic_name: "beauteous" });

  const inChannel = (await records({ acting_user_id: owner.id })).filter(({ stream_id }) => stream_id === channel.id);
  expect(inChannel).toMatchObject([
    { type: "topic_deleted", before: { topic: "beauteous" } },
    { type: "message_deleted", user_id: miranda.id, before: { message_id: hers } },
  ]);
  expect(JSON.stringify(inChannel)).not.toContain(text);
});

test("a bot's changes, without its secrets", async () => {
  const bot = await owner.do("POST", "/bots", {
    full_name: unique("Harpy"),
    short_name: `harpy-${token()}`,
    bot_type: 3,
    payload_url: JSON.stringify("https://banquet.test/secret-path"),
  });
  await owner.do("PATCH", `/bots/${bot.user_id}`, {
    service_payload_url: JSON.stringify("https://table.test/other-secret"),
    service_interface: 1,
  });

  const ofBot = await records({ user_id: bot.user_id });
  expect(ofBot).toMatchObject([
    { type: "bot_changed", before: { service: "https://banquet.test" }, after: { service: "https://table.test" } },
    { type: "user_created", after: { bot_type: 3, bot_owner_id: owner.id } },
  ]);
  expect(JSON.stringify(ofBot)).not.toMatch(/secret/);
  expect(JSON.stringify(ofBot)).not.toContain(bot.api_key);
});

test("exports, for which an administrator is on record, and their deletion", async () => {
  const admin = await aPerson("Stephano", { role: "administrator" });
  const { id } = await admin.do("POST", "/export/realm", { export_type: 1 });
  await expect
    .poll(async () => (await admin.call("DELETE", `/export/realm/${id}`)).status, { timeout: 60_000 })
    .toBe(200);

  expect(await records({ acting_user_id: admin.id, types: ["export_started", "export_deleted"] })).toMatchObject([
    { type: "export_deleted", actor: "user", before: expect.objectContaining({ export_id: id }) },
    { type: "export_started", actor: "user", after: expect.objectContaining({ export_type: 1 }) },
  ]);
});

test("invitations, domains and defaults", async () => {
  const domain = `${unique("isle").toLowerCase().replaceAll(/\W/g, "-")}.test`;
  await owner.do("POST", "/realm/domains", { domain, allow_subdomains: false });
  await owner.do("PATCH", `/realm/domains/${domain}`, { allow_subdomains: true });
  await owner.do("DELETE", `/realm/domains/${domain}`);
  await owner.do("POST", "/invites/multiuse", { invite_as: 600 });
  const { invites } = await owner.do("GET", "/invites");
  const invitation = invites.find(
    ({ invited_by_user_id }: { invited_by_user_id: number }) => invited_by_user_id === owner.id,
  );
  await owner.do("DELETE", `/invites/multiuse/${invitation.id}`);

  expect(await records({ acting_user_id: owner.id, num: 5 })).toMatchObject([
    { type: "invitation_revoked", before: { invite_id: invitation.id, invite_as: 600 } },
    { type: "invitation_link_created", after: { invite_id: invitation.id, invite_as: 600 } },
    { type: "domain_removed", name: domain },
    { type: "domain_changed", name: domain, after: { allow_subdomains: true } },
    { type: "domain_added", name: domain, after: { allow_subdomains: false } },
  ]);
});

test("pages go on where the last one ended", async () => {
  const people = [await aPerson("Alonso"), await aPerson("Gonzalo"), await aPerson("Antonio")];
  for (const { id } of people) await owner.do("PATCH", `/users/${id}`, { role: 600 });

  const filter = { acting_user_id: owner.id, types: ["role_changed"], num: 2 };
  const first = await owner.do("GET", "/realm/audit_log", filter);
  const second = await owner.do("GET", "/realm/audit_log", { ...filter, before: first.next });
  const ids = [...first.records, ...second.records].map(({ user_id }: { user_id: number }) => user_id);
  expect(ids.slice(0, 3)).toEqual(people.map(({ id }) => id).reverse());
});

test.each(["administrator", "moderator", "member", "guest"] as const)("not for a %s", async (role) => {
  await expect((await aPerson("Sebastian", { role })).call("GET", "/realm/audit_log")).resolves.toMatchObject({
    status: 400,
    body: { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization owner" },
  });
});
