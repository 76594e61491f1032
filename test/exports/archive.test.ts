import { expect, test } from "vitest";
import { zulipVersion } from "../../shared/base/limits.ts";
import { downloadArchive, runExport } from "../support/files/exports.ts";
import { problemsOf } from "../support/files/zulip-format.ts";
import { multipart, png, upload } from "../support/files.ts";
import { token, unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const anAdministrator = () => aPerson("Duke", { role: "administrator" });
const sendMessage = async (person: Person, to: number | number[], content: string): Promise<number> =>
  (
    await person.do("POST", "/messages", {
      type: typeof to === "number" ? "channel" : "direct",
      to,
      topic: "exile",
      content,
    })
  ).id;
const exportBy = async (person: Person, export_type: 1 | 2) =>
  downloadArchive((await runExport(person, { export_type })).export_url);
const pathOf = (link: string) => link.replace("/user_uploads/", "");
/** Zulip's bits of flags. */
const flags = { read: 1, starred: 2, mentioned: 8, historical: 1024, isPrivate: 2048 };

test("a public export has all public data and no private data, in tables that Zulip imports", async () => {
  const [duke, celia] = [await anAdministrator(), await aPerson("Celia")];
  const [arden, court] = [
    await aChannel("arden", [celia], { description: "A *forest*" }),
    await aChannel("court", [celia], { inviteOnly: true }),
  ];
  const [song, secret] = [await upload(celia, "Überfahrt – 日本.txt", "song"), await upload(celia, "secret.txt")];
  await celia.do(
    "POST",
    "/users/me/avatar",
    {},
    { credentials: celia, ...multipart([{ filename: "a", content: png }]) },
  );
  await celia.do("PATCH", "/settings", { allow_private_data_export: true, enter_sends: true });
  const drafts = [{ type: "", to: [], topic: "", content: "and wisdom", timestamp: 1_700_000_000 }];
  await celia.do("POST", "/drafts", { drafts });
  await celia.do("POST", "/saved_snippets", { title: "wit", content: "wherever wit may go" });
  const sent = await sendMessage(celia, arden.id, `[here](${song}) **now**`);
  await duke.do("POST", `/messages/${sent}/reactions`, { emoji_name: "heart" });
  await celia.do("PATCH", `/messages/${sent}`, { content: `[here](${song}) **then**` });
  const privateIds = [
    await sendMessage(celia, court.id, `[here](${secret})`),
    await sendMessage(celia, [duke.id], "between us"),
  ];

  const { files, json, tables, row, importSource } = await exportBy(duke, 1);

  expect(problemsOf(tables)).toEqual([]);
  expect(importSource).toBe("zulip");
  expect(json("migration_status.json")).toEqual({ migrations_by_app: {}, zulip_version: zulipVersion });
  expect(row("zerver_userprofile", { id: celia.id })).toMatchObject({
    ...{ full_name: "Celia", delivery_email: celia.email, is_active: true, role: 400, enter_sends: false },
    avatar_source: "U",
  });
  expect(row("zerver_stream", { id: arden.id })).toMatchObject({ name: arden.name, description: "A *forest*" });
  expect(row("zerver_stream", { id: court.id })).toBeUndefined();
  const inArden = row("zerver_recipient", { type: 2, type_id: arden.id }).id;
  expect(row("zerver_subscription", { user_profile: celia.id, recipient: inArden })).toMatchObject({ active: true });
  expect(row("zerver_message", { id: sent })).toMatchObject({
    ...{ sender: celia.id, recipient: inArden, subject: "exile", content: `[here](${song}) **then**` },
    ...{ rendered_content: expect.stringContaining("<strong>then</strong>"), has_attachment: true },
  });
  expect(JSON.parse(row("zerver_message", { id: sent }).edit_history)).toMatchObject([
    { user_id: celia.id, prev_content: `[here](${song}) **now**`, prev_rendered_content: expect.any(String) },
  ]);
  expect(row("zerver_reaction", { message: sent })).toMatchObject({ user_profile: duke.id, emoji_name: "heart" });
  expect(tables.zerver_message!.filter(({ id }) => privateIds.includes(id))).toEqual([]);
  expect(tables.zerver_message!.filter(({ is_channel_message }) => !is_channel_message)).toEqual([]);
  for (const table of ["huddle", "savedsnippet", "draft", "alertword", "usertopic", "scheduledmessage", "usermessage"])
    expect([table, tables[`zerver_${table}`]]).toEqual([table, []]);
  expect(row("zerver_attachment", { path_id: pathOf(song) })).toMatchObject({
    ...{ size: 4, owner: celia.id, messages: [sent] },
  });
  expect(json("uploads/records.json")).toContainEqual(
    expect.objectContaining({ path: pathOf(song), s3_path: pathOf(song), user_profile_id: celia.id, realm_id: 1 }),
  );
  expect(files.get(`uploads/${pathOf(song)}`)?.toString()).toBe("song");
  expect(files.has(`uploads/${pathOf(secret)}`)).toBe(false);
  expect(row("zerver_attachment", { path_id: pathOf(secret) })).toBeUndefined();
  const avatar = json("avatars/records.json").find(({ user_profile_id }: any) => user_profile_id === celia.id);
  expect(files.get(`avatars/${avatar.path}`)?.equals(png)).toBe(true);
  expect(avatar.s3_path).toMatch(/\.original$/);
  for (const folder of ["emoji", "realm_icons"])
    for (const { path } of json(`${folder}/records.json`)) expect(files.has(`${folder}/${path}`)).toBe(true);
});

test("a full export also has what consenting users may read, their flags, and their own data", async () => {
  const [duke, celia, touchstone, audrey] = [
    await anAdministrator(),
    await aPerson("Celia"),
    await aPerson("Touchstone"),
    await aPerson("Audrey"),
  ];
  const [court, vault, arden] = [
    await aChannel("court", [celia, touchstone], { inviteOnly: true, historyPublicToSubscribers: false }),
    await aChannel("vault", [touchstone], { inviteOnly: true }),
    await aChannel("arden", [touchstone]),
  ];
  const inShared = await sendMessage(touchstone, court.id, `while @**Celia|${celia.id}** is there`);
  await celia.do("PATCH", "/settings", { allow_private_data_export: true, enter_sends: true });
  await celia.do("POST", "/saved_snippets", { title: "wit", content: "wherever wit may go" });
  await celia.do("POST", "/users/me/alert_words", { alert_words: ["usurper"] });
  await celia.do("POST", `/users/me/muted_users/${audrey.id}`);
  await celia.do("POST", "/user_topics", { stream_id: court.id, topic: "exile", visibility_policy: 3 });
  await celia.do("POST", "/users/me/status", { status_text: "in disguise", emoji_name: "heart" });
  await celia.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: court.id, property: "pin_to_top", value: true }],
  });
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 86_400;
  await celia.do("POST", "/scheduled_messages", {
    ...{ type: "direct", to: [touchstone.id], content: "tomorrow", scheduled_delivery_timestamp },
  });
  const [toCelia, toDuke, toGroup, inVault, starred] = [
    await sendMessage(touchstone, [celia.id], "to her"),
    await sendMessage(touchstone, [duke.id], "to him"),
    await sendMessage(touchstone, [celia.id, audrey.id], "to both"),
    await sendMessage(touchstone, vault.id, "to none"),
    await sendMessage(touchstone, arden.id, "to the forest"),
  ];
  await celia.do("POST", "/messages/flags", { messages: [toCelia], op: "add", flag: "read" });
  await celia.do("POST", "/messages/flags", { messages: [starred], op: "add", flag: "starred" });

  const { tables, row } = await exportBy(duke, 2);

  expect(problemsOf(tables)).toEqual([]);
  const ids = tables.zerver_message!.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([inShared, toCelia, toGroup, starred]));
  expect(ids).not.toContain(toDuke);
  expect(ids).not.toContain(inVault);
  expect([row("zerver_stream", { id: court.id })?.id, row("zerver_stream", { id: vault.id })]).toEqual([
    court.id,
    undefined,
  ]);
  const toHer = row("zerver_recipient", { type: 1, type_id: celia.id }).id;
  expect(row("zerver_message", { id: toCelia })).toMatchObject({ recipient: toHer, subject: "\u0007" });
  const { type, type_id } = row("zerver_recipient", { id: row("zerver_message", { id: toGroup }).recipient });
  expect([type, row("zerver_huddle", { id: type_id }).group_size]).toEqual([3, 3]);
  const flagsOf = (message: number, user_profile: number) =>
    row("zerver_usermessage", { message, user_profile })?.flags_mask;
  expect(flagsOf(toCelia, celia.id)).toBe(flags.read | flags.isPrivate);
  expect(flagsOf(toGroup, celia.id)).toBe(flags.isPrivate);
  expect(flagsOf(inShared, celia.id)).toBe(flags.mentioned);
  expect(flagsOf(starred, celia.id)).toBe(flags.starred | flags.read | flags.historical);
  expect(tables.zerver_usermessage!.filter(({ user_profile }) => user_profile === touchstone.id)).toEqual([]);
  const inCourt = row("zerver_recipient", { type: 2, type_id: court.id }).id;
  expect(row("zerver_subscription", { user_profile: celia.id, recipient: inCourt })).toMatchObject({
    pin_to_top: true,
  });
  const subscribedAt = { modified_user: celia.id, modified_stream: court.id };
  expect(row("zerver_realmauditlog", subscribedAt).event_last_message_id).toBeLessThan(inShared);
  const own = { user_profile: celia.id };
  expect(row("zerver_userprofile", { id: celia.id })).toMatchObject({ enter_sends: true });
  expect(row("zerver_savedsnippet", own)).toMatchObject({ title: "wit", content: "wherever wit may go" });
  expect(row("zerver_alertword", own)).toMatchObject({ word: "usurper" });
  expect(row("zerver_muteduser", own)).toMatchObject({ muted_user: audrey.id });
  expect(row("zerver_usertopic", { ...own, stream: court.id })).toMatchObject({
    topic_name: "exile",
    visibility_policy: 3,
  });
  expect(row("zerver_userstatus", own)).toMatchObject({ status_text: "in disguise", emoji_name: "heart" });
  expect(row("zerver_scheduledmessage", { sender: celia.id })).toMatchObject({
    ...{ content: "tomorrow", scheduled_timestamp: scheduled_delivery_timestamp },
  });
});

test("an export has the organization's settings, groups, bots and fields, and never a password, key or token", async () => {
  const [duke, celia] = [await anAdministrator(), await aPerson("Celia")];
  const rosalind = await aPerson("Rosalind", { password: "my affection hath an unknown bottom" });
  await celia.do("PATCH", "/settings", { allow_private_data_export: true, email_address_visibility: 4 });
  await rosalind.do("PATCH", "/settings", { email_address_visibility: 4 });
  const bot = await celia.do("POST", "/bots", {
    ...{ full_name: "Hook", short_name: `hook${token()}`, bot_type: 3, payload_url: '"https://globe.test/hook"' },
    ...{ service_name: "hook", interface_type: 1 },
  });
  const { group_id } = await duke.do("POST", "/user_groups/create", {
    ...{ name: unique("exiles"), description: "", members: [celia.id, rosalind.id] },
  });
  const arden = await aChannel("arden", [celia]);
  await duke.do("PATCH", `/streams/${arden.id}`, {
    can_send_message_group: { new: { direct_members: [celia.id], direct_subgroups: [group_id] } },
  });

  const { files, tables, row } = await exportBy(duke, 2);

  expect(problemsOf(tables)).toEqual([]);
  expect(tables.zerver_realm).toMatchObject([{ id: 1, message_content_edit_limit_seconds: expect.any(Number) }]);
  expect(row("zerver_namedusergroup", { id: group_id })).toMatchObject({
    usergroup_ptr: group_id,
    is_system_group: false,
  });
  expect(row("zerver_usergroupmembership", { user_group: group_id, user_profile: celia.id })).toBeDefined();
  const members = row("zerver_namedusergroup", { name: "role:members" }).id;
  expect(row("zerver_usergroupmembership", { user_group: members, user_profile: celia.id })).toBeDefined();
  const senders = row("zerver_stream", { id: arden.id }).can_send_message_group;
  expect(row("zerver_usergroupmembership", { user_group: senders })).toMatchObject({ user_profile: celia.id });
  expect(row("zerver_groupgroupmembership", { supergroup: senders })).toMatchObject({ subgroup: group_id });
  expect(row("zerver_userprofile", { id: bot.user_id })).toMatchObject({
    is_bot: true,
    bot_type: 3,
    bot_owner: celia.id,
  });
  expect(row("zerver_service", { user_profile: bot.user_id })).toMatchObject({
    base_url: "https://globe.test/hook",
    token: "",
  });
  // Nobody may see Rosalind's address, the administrator included.
  expect(row("zerver_userprofile", { id: rosalind.id })).toBeUndefined();
  expect(row("zerver_userprofile_mirrordummy", { id: rosalind.id })).toMatchObject({ is_active: false });
  const text = [...files].map(([path, content]) => (path.endsWith(".json") ? content.toString() : "")).join("");
  for (const secret of [rosalind.email, rosalind.apiKey, bot.api_key, "api_key", "password", "scrypt"])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
});
