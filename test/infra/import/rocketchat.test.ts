import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serialize } from "bson";
import { expect, test } from "vitest";
import { roles } from "../../../shared/base/schema/roles.ts";
import { nobody } from "../../../shared/base/schema/system-groups.ts";
import { ArchiveError } from "../../../shared/features/import/archive.ts";
import type { MattermostOptions } from "../../../shared/features/import/mattermost/plan.ts";
import type { WrittenSoFar } from "../../../shared/features/import/plan.ts";
import { isRocketChatDump } from "../../../shared/features/import/rocketchat/format.ts";
import { fromRocketChat } from "../../../shared/features/import/rocketchat/markup.ts";
import { planRocketChatImport } from "../../../shared/features/import/rocketchat/plan.ts";
import { person, room, said, theTempest } from "./rocketchat-archive.ts";
import { aFolder } from "./slack-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const options: MattermostOptions = {
  ...{ ownerEmail: undefined, oldUrl: "https://chat.example", secret: "a secret", now: 1_750_000_000 },
};
const nothing: WrittenSoFar = { emoji: [], files: new Set() };

test("a dump of the database: people, channels, discussions, threads, direct messages and what they say", async () => {
  const folder = aFolder(theTempest(globe));
  expect(isRocketChatDump(folder)).toBe(true);
  const plan = await planRocketChatImport(folder, options);

  expect(plan.organization).toEqual({ name: "Milan" });
  expect(
    plan.members.map(({ fullName, email, role, deactivated = false, botType }) => [
      ...[fullName, email, role, deactivated, botType],
    ]),
  ).toEqual([
    ["Prospero", "prospero@milan.example", roles.owner, false, undefined],
    ["Miranda", "Miranda@milan.example", roles.member, false, undefined],
    ["Caliban", "caliban@milan.example", roles.guest, false, undefined],
    ["Antonio", "antonio@milan.example", roles.member, true, undefined],
    ["Ariel", "rocketchat-5-ariel@skein.invalid", roles.member, false, 1],
    ["Weather", "rocketchat-6-webhook@skein.invalid", roles.member, true, 2],
    ["stephano", "rocketchat-7-stephano@skein.invalid", roles.member, true, undefined],
  ]);
  expect(
    plan.channels.map(({ channel: { name, inviteOnly, isArchived, isDefault, permissions }, subscriptions }) => [
      ...[name, inviteOnly, isArchived, isDefault, permissions.can_administer_channel_group],
      subscriptions
        .map(({ userId, pinToTop, isMuted }) => `${userId}${pinToTop ? "*" : ""}${isMuted ? "-" : ""}`)
        .join(),
    ]),
  ).toEqual([
    ["general", false, false, true, { direct_members: [1], direct_subgroups: [] }, "1,2*,3"],
    ["plot", true, false, false, { direct_members: [1], direct_subgroups: [] }, "1"],
    ["News", false, false, false, { direct_members: [2], direct_subgroups: [] }, "2-"],
    ["books", false, true, false, nobody, ""],
    ["Secret", true, false, false, nobody, ""],
  ]);
  expect(plan.channels[0]?.channel.description).toBe("About ~plot & the **sea** – See :+1:");
  expect(plan.channels[2]?.channel.permissions.can_send_message_group).toEqual({
    direct_members: [2],
    direct_subgroups: [3],
  });
  const messages = [...plan.messages()].map((planned) => ({ ...planned, text: planned.content(nothing) }));
  expect(
    messages.map(({ message: { senderId, channelId, topic, userIds }, text }) => [
      ...[senderId, channelId ?? userIds, ...(topic === undefined ? [] : [topic]), text],
    ]),
  ).toEqual([
    [2, 1, "imported from Rocket.Chat", "Hello @**all**, a :+1: and a :storm: for #**general**"],
    [1, 1, "Who caused the tempest?", "Who caused the **tempest**?\nTell me"],
    [2, 1, "Who caused the tempest?", "@**Prospero|1** did, see ~plot"],
    [3, 1, "Who did it?", "I do *not* know ~~yet~~"],
    [1, 5, "imported from Rocket.Chat", "Nobody shall know"],
    [1, [1, 2], "The hour's now come"],
    [1, 1, "imported from Rocket.Chat", "The ship\n\nAs drawn\n\nship.txt"],
    [3, 1, "imported from Rocket.Chat", "**This** island's mine\n\ngone.txt"],
    [
      6,
      1,
      "imported from Rocket.Chat",
      "To @**Miranda|2**\n\n## [Storm](https://e.example/9)\n\n**soon**\n\n**Wind**: 9",
    ],
    [2, 1, "imported from Rocket.Chat", "Indeed\n\n**prospero**\n\n> The ship"],
    [3, [1, 2, 3], "> Be not afeard"],
    [7, 1, "imported from Rocket.Chat", "Here's my comfort"],
  ]);
  expect(messages[0]).toMatchObject({ flags: [{ userId: 1, flags: ["starred"] }] });
  expect(messages[0]?.reactions(nothing)).toEqual([
    { emoji: { name: "+1", code: "1f44d", type: "unicode_emoji" }, userIds: [1, 3] },
  ]);
  const [ship] = messages[6]?.files ?? [];
  expect(ship && String(await plan.fetchFile(ship))).toBe("shipwreck");
  expect((await plan.fetchEmoji()).map(({ name, content }) => [name, globe.equals(content)])).toEqual([
    ["storm", true],
    ["tempest", true],
  ]);
  expect([...plan.pictures()].map(({ kind, content }) => [kind, globe.equals(content)])).toEqual([["avatar", true]]);
  const report = String(plan.report);
  for (const line of [
    "1  people who are no users, such as visitors of websites (guest-1)",
    "1  rooms of visitors of websites and of calls, with their messages (Visitor)",
    "1  former texts of messages",
    "1  messages that are encrypted from end to end (document 14 of rocketchat_message.bson)",
    "1  notices of Rocket.Chat, such as who joined",
    "1  files that are not in the archive, or too large: only their names come (gone.txt)",
  ])
    expect(report).toContain(line);
  rmSync(folder, { recursive: true });
});

test.each([
  ["*bold* **bold** _italic_ __italic__ ~gone~", "**bold** **bold** _italic_ _italic_ ~~gone~~"],
  ["*see https://e.example/a_b_c and `*code*`*", "**see https://e.example/a_b_c and `*code*`**"],
  ["2*3*4 a_b_c ~5 #general, #general. #nobody", "2*3*4 a_b_c \\~5 ~general, ~general. #nobody"],
  ["<https://e.example/x|the *site*>", "[the **site**](https://e.example/x)"],
  ["```\n*code* #general\n```", "```\n*code* #general\n```"],
  ["*see #general*", "**see ~general**"],
  ["https://e.example/#general", "https://e.example/#general"],
])("%j is written %j in Mattermost", (text, expected) => {
  expect(fromRocketChat(text, (name) => (name === "general" ? name : undefined))).toBe(expected);
});

const small = () => ({
  "users.bson": [person("P", "prospero", "Prospero", { roles: ["admin"] })],
  "rocketchat_room.bson": [room("GENERAL", "c", "general")],
  "rocketchat_message.bson": [said("P", "GENERAL", 1, "One"), said("P", "GENERAL", 2, "Two")],
});

test("what is no BSON is refused with the file and the document", async () => {
  const refusalOf = async (change: (path: string) => void) => {
    const folder = aFolder(small());
    change(join(folder, "rocketchat_message.bson"));
    const error = await planRocketChatImport(folder, options).catch((refusal: unknown) => refusal);
    rmSync(folder, { recursive: true });
    return error instanceof ArchiveError ? error.message : error;
  };
  const one = serialize(small()["rocketchat_message.bson"][0] as object);
  const deep = (depth: number) => {
    const [head, tail] = [Buffer.from([3, 97, 0]), Buffer.from([0])];
    let document = Buffer.from([5, 0, 0, 0, 0]);
    for (let level = 0; level < depth; level++) {
      const length = Buffer.alloc(4);
      length.writeInt32LE(4 + head.length + document.length + tail.length);
      document = Buffer.concat([length, head, document, tail]);
    }
    return document;
  };

  expect(await refusalOf((path) => truncateSync(path, one.length + 20))).toMatch(
    /^Document 2 of rocketchat_message.bson is not BSON, or cut off/,
  );
  expect(await refusalOf((path) => writeFileSync(path, Buffer.from([255, 255, 255, 127, 0])))).toMatch(
    /^Document 1 of/,
  );
  expect(await refusalOf((path) => writeFileSync(path, Buffer.from([5, 0, 0, 0, 1])))).toMatch(/^Document 1 of/);
  expect(await refusalOf((path) => writeFileSync(path, "{}"))).toMatch(/^Document 1 of/);
  expect(await refusalOf((path) => writeFileSync(path, deep(3000)))).not.toBeInstanceOf(RangeError);
});

test("without an administrator who has an address, the owner must be named", async () => {
  const folder = aFolder({ ...small(), "users.bson": [person("P", "prospero", "Prospero")] });

  await expect(planRocketChatImport(folder, options)).rejects.toThrow(
    "users.bson has no system administrator with an email address",
  );
  const plan = await planRocketChatImport(folder, { ...options, ownerEmail: "prospero@milan.example" });
  expect(plan.members[0]?.role).toBe(roles.owner);
  rmSync(folder, { recursive: true });
});
