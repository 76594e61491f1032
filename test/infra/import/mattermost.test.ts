import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { roles } from "../../../shared/base/schema/roles.ts";
import { nobody } from "../../../shared/base/schema/system-groups.ts";
import { isMattermostExport } from "../../../shared/features/import/mattermost/format.ts";
import { fromMattermost } from "../../../shared/features/import/mattermost/markdown.ts";
import { type MattermostOptions, planMattermostImport } from "../../../shared/features/import/mattermost/plan.ts";
import type { WrittenSoFar } from "../../../shared/features/import/plan.ts";
import { findProgress, writeImport } from "../../../shared/features/import/write.ts";
import { getFile } from "../../../shared/services/blobs/bucket.ts";
import { uploadFileKey } from "../../../shared/services/blobs/names.ts";
import { findMessage } from "../../../shared/store/messages/messages.ts";
import { reactionsOf } from "../../../shared/store/messages/reactions.ts";
import { withFailure } from "../../support/faults.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { target } from "../../support/target.ts";
import { items } from "./imported-items.ts";
import { at, channel, directPost, post, said, team, theTempest, user, version } from "./mattermost-archive.ts";
import { aFolder } from "./slack-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const options: MattermostOptions = {
  ...{ ownerEmail: undefined, oldUrl: undefined, secret: "a secret", now: 1_750_000_000 },
};
const planOf = (files: Record<string, unknown>, changed: Partial<MattermostOptions> = {}) =>
  planMattermostImport(aFolder(files), { ...options, ...changed });
const nothing: WrittenSoFar = { emoji: [], files: new Set() };

/** An export of one team with a channel, with these lines. */
const withLines = (...lines: unknown[]) => ({
  "import.jsonl": [
    ...[version, team("milan", "Milan"), channel("milan", "island", "Island")],
    channel("milan", "plot", "Plot", { type: "P" }),
    user("prospero", "Prospero", { milan: ["island"] }, { roles: "system_admin system_user" }),
    user("miranda", "Miranda", { milan: ["island"] }),
    user("m.b", "M|B", { milan: [] }),
    ...lines,
  ],
});
const inIsland = (minute: number, message: string, more: object = {}) =>
  post("milan", "island", said("miranda", at(1, minute), message, more));
const contentsOf = async (...lines: unknown[]) =>
  [...(await planOf(withLines(...lines))).messages()].map((message) => message.content(nothing));

test("an export of a team: people, channels, threads, direct messages and what they say", async () => {
  const folder = aFolder(theTempest(globe));
  expect(isMattermostExport(folder)).toBe(true);
  const plan = await planMattermostImport(folder, options);

  expect(plan.organization).toEqual({ name: "Milan" });
  expect(
    plan.members.map(({ fullName, role, deactivated = false, botType }) => [fullName, role, deactivated, botType]),
  ).toEqual([
    ["Prospero of Milan", roles.owner, false, undefined],
    ["Miranda", roles.member, false, undefined],
    ["Caliban", roles.guest, false, undefined],
    ["Antonio", roles.member, true, undefined],
    ["Ariel", roles.member, false, 1],
    ["Weather", roles.member, true, 2],
    ["stephano", roles.member, true, undefined],
  ]);
  expect(plan.members[4]).toMatchObject({ ownerId: 1 });
  expect(
    plan.channels.map(({ channel: { name, inviteOnly, isArchived, isDefault } }) => [
      name,
      inviteOnly,
      isArchived,
      isDefault,
    ]),
  ).toEqual([
    ["Town Square", false, false, true],
    ["The Island", false, false, false],
    ["Books", false, true, false],
    ["Plot", true, false, false],
  ]);
  const island = plan.channels[1];
  expect(island?.channel).toMatchObject({
    description: "About #**Books** & the **sea** – See :+1:",
    ...{ createdAt: at(1, 1) / 1000, folderId: null },
    permissions: { can_administer_channel_group: { direct_members: [1], direct_subgroups: [] } },
  });
  expect(island?.subscriptions.map(({ userId, pinToTop }) => [userId, pinToTop])).toEqual([
    ...[
      [1, false],
      [2, true],
      [3, false],
    ],
  ]);
  expect(plan.channels[2]?.subscriptions).toMatchObject([{ userId: 2, isMuted: true }]);
  const messages = [...plan.messages()].map((planned) => ({ ...planned, text: planned.content(nothing) }));
  expect(
    messages.map(({ message: { senderId, channelId, topic, userIds }, text }) => [
      ...[senderId, channelId ?? userIds, ...(topic === undefined ? [] : [topic]), text],
    ]),
  ).toEqual([
    [2, 2, "imported from Mattermost", "Hello @**all**, a :+1: and a :storm: for #science and @nobody"],
    [1, 2, "Who caused the tempest?", "Who caused the **tempest**?\nTell me"],
    [2, 2, "Who caused the tempest?", "@**Prospero of Milan|1** did, see ~plot and #**Books**"],
    [1, [1, 2], "The hour's now come"],
    [1, 2, "imported from Mattermost", "The ship, as drawn\n\nship.txt"],
    [3, 2, "Who caused the tempest?", "*This island's* mine\n\ngone.txt"],
    [
      ...[6, 2, "imported from Mattermost"],
      "To @**Miranda|2**\n\n## [Storm_9](https://e.example/9)\n\n*soon*\n\n**Wind**: 9\n\nby Ariel",
    ],
    [2, 2, "imported from Mattermost", "/me calls the storm"],
    [5, 4, "imported from Mattermost", "All hail, @**Prospero of Milan|1**"],
    [7, 2, "imported from Mattermost", "Here's my comfort"],
    [3, [1, 2, 3], "> Be not afeard"],
    [2, [1, 2, 3], "@**Caliban|3**!"],
    [2, [2], "- ☑ log\n- ☐ water"],
  ]);
  expect(messages[0]).toMatchObject({ flags: [{ userId: 1, flags: ["starred"] }, { userId: 3 }] });
  expect(messages[2]?.message.lastEditAt).toBe(at(1, 9) / 1000);
  expect(String(plan.report).replace(/^ +/gm, "").split("\n")).toEqual([
    "Imported:",
    ...["3  people", "1  deactivated people", "1  bots", "2  channels", "1  archived channels", "1  private channels"],
    ...["7  subscriptions", "3  direct conversations", "9  messages in channels", "2  stars", "3  reactions"],
    ...["4  direct messages", "1  files", "1  bots for the names of webhooks, deactivated"],
    ...["1  people who only their messages name, deactivated", "3  topics"],
    "Not imported, or changed:",
    "2  roles and permission schemes",
    "1  positions and statuses of people (miranda)",
    "1  custom emoji under another name (storm+ → storm)",
    "1  notices of Mattermost, such as who joined",
    "1  pins of messages",
    "1  files that are not in the archive, or too large: only their names come (gone.txt)",
  ]);
});

test.each([
  [
    "_italic_, __bold__, ***both***, ~~struck~~, snake_case_name",
    "*italic*, **bold**, ***both***, ~~struck~~, snake_case_name",
  ],
  ["\\*literal\\* and C:\\dir", "&#x2a;literal&#x2a; and C:\\dir"],
  [
    "@miranda, @Miranda. @m.b: @all, not@miranda.org",
    "@**Miranda|2**, @**Miranda|2**. @**MB|3**: @**all**, not@miranda.org",
  ],
  [
    "**Hey @miranda, _see_** 日本語@miranda日本 _~island_",
    "**Hey** @**Miranda|2**\u200b**, *see*\u200b** 日本語 @**Miranda|2**日本 #**Island**",
  ],
  ["~island, ~plot. ~nowhere", "#**Island**, ~plot. ~nowhere"],
  [":thumbsup: :no_such_emoji: at 10:30:45", ":+1: :no_such_emoji: at 10:30:45"],
  [
    "![a ship](https://e.example/a_b_.png =100x50) <https://e.example/_x_>",
    "[a ship](https://e.example/a_b_.png) https://e.example/_x_",
  ],
  ["[![build](https://e.example/b.svg)](https://e.example/)", "[build](https://e.example/)"],
  ["see [it][1] and [none]\n\n[1]: https://e.example/", "see [it](https://e.example/) and [none]"],
  ["- [ ] sail\n- [x] land\n    - north\n1) rest", "- ☐ sail\n- ☑ land\n  - north\n1. rest"],
  ["| who | what |\n|:--|--:|\n| @miranda | a\\|b |", "| who | what |\n|:--|--:|\n| @**Miranda** | a&#x7c;b |"],
  ["```js\n_a_ @miranda\n```\n`_b_ :thumbsup:`", "```js\n_a_ @miranda\n```\n`_b_ :thumbsup:`"],
  ["```latex\nx^2\n```", "```math\nx^2\n```"],
  ["```quote\nx\n```", "```\nx\n```"],
  ["text\n\n    code @miranda", "text\n\n```\ncode @miranda\n```"],
  ["Title\n=====\ntext", "# Title\ntext"],
  ["> said _she_\n> - one", "> said *she*\n> - one"],
  ["a @**bold** #**word** $$5$$ <time:now>", "a &#x40;**bold** &#x23;**word** &#x24;&#x24;5&#x24;&#x24; &lt;time:now>"],
])("the Markdown of %s", async (text, content) => {
  expect(await contentsOf(inIsland(1, text))).toEqual([content]);
});

test("several teams become one organization in which each keeps its people and its channels' names apart", async () => {
  const files = withLines(
    ...[team("naples", "Naples"), channel("milan", "town-square", "Town Square")],
    channel("naples", "town-square", "Town Square"),
    channel("naples", "harbour", "Harbour"),
    user("alonso", "Alonso", { "!naples": ["town-square", "harbour"] }),
    post("naples", "harbour", said("alonso", at(1, 1), "~town-square and ~island")),
    post("milan", "island", said("alonso", at(1, 2), "~town-square")),
    directPost(["alonso", "miranda"], said("alonso", at(1, 3), "~town-square and ~harbour")),
  );
  const plan = await planOf(files);

  expect(plan.organization).toEqual({});
  expect(plan.details.channelFolders.map(({ name }) => name)).toEqual(["Milan", "Naples"]);
  const [milan, naples] = plan.groups;
  expect([milan?.name, [...(milan?.members ?? [])], naples?.name, [...(naples?.members ?? [])]]).toEqual([
    ...["Milan", [1, 2, 3], "Naples", [4]],
  ]);
  expect(naples?.settings.canManageGroup).toEqual({ direct_members: [4], direct_subgroups: [] });
  expect(plan.members[3]?.role).toBe(roles.member);
  expect(
    plan.channels.map(({ channel: { name, folderId, inviteOnly, isDefault, permissions } }) => [
      ...[name, folderId, inviteOnly, isDefault, permissions.can_subscribe_group],
    ]),
  ).toEqual([
    ["Island", 1, true, false, milan?.id],
    ["Plot", 1, true, false, nobody],
    ["Town Square (Milan)", 1, true, false, milan?.id],
    ["Town Square (Naples)", 2, true, false, naples?.id],
    ["Harbour", 2, true, false, naples?.id],
  ]);
  expect([...plan.messages()].map((message) => message.content(nothing))).toEqual([
    "#**Town Square (Naples)** and ~island",
    // Of a channel that its author cannot see.
    "~town-square",
    "~town-square and ~harbour",
  ]);

  // What everybody's team has is for everybody.
  const shared = await planOf(withLines(team("naples", "Naples"), channel("naples", "harbour", "Harbour")));
  expect(shared.channels.map(({ channel: { name, inviteOnly } }) => [name, inviteOnly])).toEqual([
    ...[
      ["Island", false],
      ["Plot", true],
      ["Harbour", true],
    ],
  ]);
});

test("a thread is a topic of its own, also if its first message does not come; copies come once", async () => {
  const twice = inIsland(4, "twice");
  const plan = await planOf(
    withLines(
      inIsland(1, "Lunch?", { replies: [said("prospero", at(1, 5), "yes")] }),
      inIsland(2, "Lunch?", { replies: [said("prospero", at(1, 6), "no")] }),
      inIsland(3, "joined", { type: "system_join_channel", replies: [said("prospero", at(1, 7), "welcome")] }),
      ...[twice, twice],
    ),
  );

  expect([...plan.messages()].map(({ message }) => message.topic)).toEqual([
    ...["Lunch?", "Lunch? (2)", "imported from Mattermost", "Lunch?", "Lunch? (2)", "Thread of 2024-01-01"],
  ]);
  expect(plan.topics).toHaveLength(4);
  expect(String(plan.report)).toContain("1  messages that are twice in the archive (line 12 of import.jsonl)");
});

test("links to channels lead here if it is said where Mattermost was; to messages, whose IDs no export has, they stay", async () => {
  const lines = withLines(
    inIsland(1, "https://mm.example/milan/channels/island https://mm.example/milan/pl/abcdefghijklmnopqrstuvwxyz"),
  );
  const plan = await planOf(lines, { oldUrl: "https://mm.example" });

  expect([...plan.messages()][0]?.content(nothing)).toBe(
    "[https://mm.example/milan/channels/island](/#narrow/channel/1-Island) https://mm.example/milan/pl/abcdefghijklmnopqrstuvwxyz",
  );
  expect(String(plan.report)).toContain("1  messages with links to others, whose IDs do not come");
  await expect(planOf(lines, { oldUrl: "nowhere" })).rejects.toThrow("--url is no address: nowhere");
});

test("what cannot come is reported with the reason, and what makes no sense is refused", async () => {
  const { report } = await planOf({
    ...withLines(
      inIsland(1, "x".repeat(16_000)),
      inIsland(2, "", {}),
      post("milan", "gone", said("miranda", at(1, 3), "to nowhere")),
      post("milan", "island", said("miranda", -5, "at no time")),
      post("milan", "island", said("", at(1, 4), "by nobody")),
      inIsland(5, "odd", { reactions: "smile", edit_at: "yesterday" }),
      inIsland(6, "fine", {
        reactions: [
          { user: "nemo", emoji_name: "smile" },
          { user: "miranda", emoji_name: "odd" },
        ],
      }),
      inIsland(7, "tomorrow", { create_at: Date.UTC(2100, 0, 1) }),
      ...[
        { type: "channel", channel: { team: "milan" } },
        { type: "team", team: team("milan", "Again").team },
        { type: "weather" },
      ],
      channel("naples", "harbour", "Harbour"),
      ...["a line", null],
      user("caliban", "Caliban", { milan: ["nowhere"] }, { email: "Miranda@milan.example" }),
      user("ariel", "Ariel", {}, { email: "ariel@localhost" }),
      { type: "emoji", emoji: { name: "storm", image: "../../../etc/passwd" } },
    ),
    "notes.txt": "x",
  });
  for (const line of [
    "1  messages of more than 10000 characters: they are truncated (line 8 of import.jsonl)",
    "1  messages without anything that can be shown (line 9 of import.jsonl)",
    "1  messages in channels that are not in the export (line 10 of import.jsonl)",
    "1  messages without a time (line 11 of import.jsonl)",
    "1  messages without an author (line 12 of import.jsonl)",
    "fields of import.jsonl that are not as Mattermost writes them (create_at in line 11, edit_at in line 13, reactions in line 13)",
    "1  reactions of people who are not in the export (nemo)",
    "1  reactions with emoji that are not known here (odd)",
    "1  dates of messages that are in the future: the time of the import (line 15 of import.jsonl)",
    "1  lines of import.jsonl without the name of what they are about (line 16)",
    "1  lines of import.jsonl about something that an earlier one has (line 17)",
    "3  lines of import.jsonl of kinds that are not known (line 18, line 20, line 21)",
    "1  channels of teams that are not in the export (harbour)",
    "1  memberships in channels that are not in the export (nowhere)",
    "1  people with another's address: they get a placeholder (caliban)",
    "1  bots",
    "1  custom emoji whose pictures are not in the archive (storm)",
    "1  files besides import.jsonl (notes.txt)",
  ])
    expect(String(report)).toContain(line);

  const lines = withLines()["import.jsonl"];
  const text = lines.map((line) => JSON.stringify(line));
  const refused: [content: unknown, problem: string][] = [
    [[{ type: "version", version: 2 }, ...lines], "import.jsonl has the version 2, and only 1 is known"],
    [[...text, "{"].join("\n"), "Line 8 of import.jsonl is not JSON in UTF-8"],
    [
      Buffer.concat([Buffer.from(`${text.join("\n")}\n`), Buffer.from([0xff])]),
      "Line 8 of import.jsonl is not JSON in UTF-8",
    ],
    [lines.filter((line) => (line as { type: string }).type !== "user"), "has no system administrator"],
    [
      Buffer.concat([Buffer.from(`${text.join("\n")}\n`), Buffer.alloc(65 * 1024 * 1024, " ")]),
      "a line of more than 64 MB",
    ],
  ];
  for (const [content, problem] of refused) await expect(planOf({ "import.jsonl": content })).rejects.toThrow(problem);
  expect(isMattermostExport(aFolder({ "import.jsonl": "{}", "users.json": [] }))).toBe(false);
  // As some tools write it: with a mark at the beginning, empty lines and the ends of Windows.
  expect((await planOf({ "bulk.json": `\ufeff${text.join("\r\n\r\n")}` })).members).toHaveLength(3);
  const nobodyRules = lines.map((line) => JSON.parse(JSON.stringify(line).replace("system_admin ", "")));
  expect(
    (await planOf({ "import.jsonl": nobodyRules }, { ownerEmail: "Miranda@milan.example" })).members[1]?.role,
  ).toBe(roles.owner);
});

test("nothing that a message may contain makes the import fail", async () => {
  const piece = fc.constantFrom(
    ...[
      "@miranda",
      "@m.b.",
      "~island",
      ":+1:",
      "_",
      "__",
      "*",
      "**",
      "`",
      "```",
      "\n",
      "\n\n",
      "> ",
      "- ",
      "1) ",
      "    ",
    ],
    ...[
      "|",
      "|--|--|\n",
      "\\",
      "[",
      "](",
      ")",
      "![a](b)",
      "<",
      ">",
      "https://e.example/_a_",
      "[x]: https://e.example\n",
    ],
    ...["\t", "#", "~~", "$$", "é", "\0", "\ud800", "words", " ", "===\n", "---\n"],
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  const anything = fc.oneof(fc.jsonValue(), text);
  const message = fc.record(
    {
      ...{
        type: fc.constantFrom("", "me", "slack_attachment"),
        message: text,
        edit_at: anything,
        flagged_by: anything,
      },
      ...{ reactions: anything, attachments: anything, is_pinned: anything },
      props: fc.oneof(
        anything,
        fc.record({ from_webhook: anything, override_username: anything, attachments: fc.array(anything) }),
      ),
      replies: fc.oneof(
        anything,
        fc.array(fc.record({ user: anything, message: text, create_at: fc.constant(at(1, 3)) })),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (messages) => {
      const plan = await planOf(withLines(...messages.map((one, index) => inIsland(index, "", one))));
      const planned = [...plan.messages()];
      expect(planned).toHaveLength(plan.messageCount);
      for (const one of planned) {
        expect(one.content(nothing)).not.toContain("\0");
        expect([...one.content(nothing)].length).toBeLessThanOrEqual(10_000);
        expect(one.content(nothing).trim()).not.toBe("");
        one.reactions(nothing);
      }
    }),
    { numRuns: 60 },
  );
});

test("the longest texts take time in proportion to their length", () => {
  const names = { user: () => undefined, channel: () => undefined, emoji: () => undefined, link: () => undefined };
  for (const part of [
    "*_`",
    "[",
    "[a](",
    "_a",
    "> ",
    "<",
    "@a.",
    "[a[b]",
    "[[x]",
    "| - |\n",
    "  - a\n",
    "\\",
    "https://(",
    "`a``b```",
  ]) {
    const before = process.cpuUsage();
    fromMattermost(part.repeat(100_000 / part.length), names);
    expect([part, process.cpuUsage(before).user < 5_000_000]).toEqual([part, true]);
  }
});

describe("into a table", () => {
  Object.assign(process.env, target().environment);
  beforeEach(() => useSeparateTable());
  afterEach(leaveSeparateTables);

  async function importFrom(folder: string) {
    const progress = { ...(await findProgress(folder)), startedAt: options.now };
    return writeImport(await planMattermostImport(folder, options), "Milan", progress);
  }

  test("files, pictures and custom emoji come out of the archive, also if the import dies on the way", async () => {
    const folder = aFolder(theTempest(globe));
    const { files, missingFiles, fileBytes } = await importFrom(folder);

    expect({ files, missingFiles, fileBytes }).toEqual({ files: 1, missingFiles: 0, fileBytes: 4 });
    const withFile = await findMessage(5);
    const [pathId = ""] = withFile?.uploads ?? [];
    expect(withFile?.content).toBe(`The ship, as drawn\n\n[ship.txt](/user_uploads/${pathId})`);
    expect(Buffer.from((await getFile(uploadFileKey(pathId)))?.content ?? "").toString()).toBe("ship");
    const greeting = await findMessage(1);
    expect(greeting && reactionsOf(greeting)).toMatchObject([
      ...[1, 3].map((userId) => ({ name: "wave", userId })),
      { type: "realm_emoji", code: "1", name: "storm", userId: 1 },
    ]);
    expect(greeting?.html).toContain('title="storm"');

    const undisturbed = await items();
    useSeparateTable();
    for (let [nth, reached] = [1, true]; reached; nth += 6)
      ({ reached } = await withFailure(nth, nth % 4 === 1 ? "before" : "afterwards", () => importFrom(folder)));
    expect(await items()).toEqual(undisturbed);
  }, 600_000);
});
