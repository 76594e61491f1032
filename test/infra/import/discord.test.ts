import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { roles } from "../../../shared/base/schema/roles.ts";
import { isDiscordExport } from "../../../shared/features/import/discord/format.ts";
import { planDiscordImport } from "../../../shared/features/import/discord/plan.ts";
import type { MattermostOptions } from "../../../shared/features/import/mattermost/plan.ts";
import type { WrittenSoFar } from "../../../shared/features/import/plan.ts";
import { channelFile, people, said, theTempest } from "./discord-archive.ts";
import { aFolder } from "./slack-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const options: MattermostOptions = {
  ...{ ownerEmail: "prospero=prospero@milan.example", oldUrl: undefined, secret: "a secret", now: 1_750_000_000 },
};
const nothing: WrittenSoFar = { emoji: [], files: new Set() };

test("an export of DiscordChatExporter: people, channels, threads, direct messages and what they say", async () => {
  const folder = aFolder(theTempest(globe));
  expect(isDiscordExport(folder)).toBe(true);
  const plan = await planDiscordImport(folder, options);

  expect(plan.organization).toEqual({ name: "Milan" });
  expect(plan.members.map(({ fullName, email, role, botType }) => [fullName, email, role, botType])).toEqual([
    ["Prospero", "prospero@milan.example", roles.owner, undefined],
    ["Miranda", "discord-2-2@skein.invalid", roles.member, undefined],
    ["Caliban", "discord-3-3@skein.invalid", roles.member, undefined],
    ["Ariel", "discord-4-4@skein.invalid", roles.member, 1],
  ]);
  expect(plan.details.channelFolders.map(({ name }) => name)).toEqual(["Island"]);
  expect(
    plan.channels.map(({ channel: { name, inviteOnly, folderId, description }, subscriptions }) => [
      ...[name, inviteOnly, folderId, description, subscriptions.map(({ userId }) => userId)],
    ]),
  ).toEqual([
    ["hall", true, 1, "About #channel", [1, 2, 3]],
    ["ideas", true, null, "", [1]],
  ]);
  const messages = [...plan.messages()].map((planned) => ({ ...planned, text: planned.content(nothing) }));
  expect(
    messages.map(({ message: { senderId, channelId, topic, userIds }, text }) => [
      ...[senderId, channelId ?? userIds, ...(topic === undefined ? [] : [topic]), text],
    ]),
  ).toEqual([
    [
      ...[2, 1, "imported from Discord"],
      "**Hello** @**all**, @**Prospero|1** and @captain of #**hall**, The *tempest* at <time:2024-01-01T12:00:00.000Z> :storm:",
    ],
    [1, 1, "The *tempest*", "Who caused the tempest?"],
    [3, 1, "imported from Discord", "> @**Prospero|1**:\n> Who caused the tempest?\n\nI did"],
    [1, 1, "imported from Discord", "The ship\n\nship.txt\ngone.txt\npasswd\nWave (sticker)"],
    [
      ...[4, 1, "imported from Discord"],
      "See https://e.example/news\n\n## [Storm](https://e.example/9)\n\n**soon** here\n\n**Wind**: 9",
    ],
    [2, 1, "The *tempest*", "@\u200b**all** Had I been any god of power #**hall**"],
    [1, 2, "A book", "Deeper than did ever plummet sound"],
    [1, [1, 2], "The hour's now come"],
    [2, [1, 2], "`<@1>` More to know"],
  ]);
  expect(messages[0]?.reactions(nothing)).toEqual([
    { emoji: { name: "+1", code: "1f44d", type: "unicode_emoji" }, userIds: [1, 3] },
  ]);
  expect(messages[2]?.message.lastEditAt).toBe(Date.UTC(2024, 0, 1, 12, 4) / 1000);
  const [ship, ...others] = messages[3]?.files ?? [];
  expect(ship && String(await plan.fetchFile(ship))).toBe("shipwreck");
  expect(others.map(({ name }) => name)).toEqual(["Wave (sticker)"]);
  expect((await plan.fetchEmoji()).map(({ name, content }) => [name, globe.equals(content)])).toEqual([
    ["storm", true],
  ]);
  expect([...plan.pictures()].map(({ kind, content }) => [kind, globe.equals(content)])).toEqual([["avatar", true]]);
  const report = String(plan.report);
  for (const line of [
    "1  files that are no export of a channel (notes.json)",
    "1  notices of Discord, such as who joined",
    "1  pins of messages",
    "1  reactions of people whom the archive does not name (Storm on message 1 of hall.json)",
    "2  files that are not in the archive, or too large: only their names come (gone.txt, passwd)",
  ])
    expect(report).toContain(line);
  rmSync(folder, { recursive: true });
});

test("the owner is named as Discord does, with an address", async () => {
  const twins = [people.prospero, { ...people.miranda, nickname: "Prospero" }];
  const folder = aFolder({
    "hall.json": channelFile(
      { id: "100", name: "hall" },
      twins.map((author, minute) => said(author, minute, "Hello")),
    ),
  });
  const planned = (ownerEmail: string | undefined) => planDiscordImport(folder, { ...options, ownerEmail });

  for (const missing of [undefined, "prospero@milan.example", "=prospero@milan.example", "prospero="])
    await expect(planned(missing)).rejects.toThrow("with --owner <name>=<address>");
  await expect(planned("Gonzalo=gonzalo@naples.example")).rejects.toThrow("Nobody in the archive is called Gonzalo");
  const { members } = await planned("2=miranda@milan.example");
  expect(members.map(({ email, role }) => [email, role])).toEqual([
    ["discord-1-1@skein.invalid", roles.member],
    ["miranda@milan.example", roles.owner],
  ]);
  rmSync(folder, { recursive: true });
});

test("a damaged file of Discord is refused by its name", async () => {
  const whole = JSON.stringify(channelFile({ id: "100", name: "hall" }, [said(people.prospero, 1, "Hello")]));
  const folder = aFolder({ "hall.json": whole.slice(0, -30) });

  await expect(planDiscordImport(folder, options)).rejects.toThrow("hall.json is not JSON in UTF-8");
  rmSync(folder, { recursive: true });
});
