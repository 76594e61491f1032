import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withTrace } from "../../../shared/base/observability/trace.ts";
import { createOrganization } from "../../../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../../../shared/features/bootstrap/organization-file.ts";
import { ArchiveError } from "../../../shared/features/import/archive.ts";
import type { WrittenSoFar } from "../../../shared/features/import/plan.ts";
import { isSlackExport } from "../../../shared/features/import/slack/format.ts";
import { planSlackImport, type SlackOptions } from "../../../shared/features/import/slack/plan.ts";
import { findProgress, newProgress, writeImport } from "../../../shared/features/import/write.ts";
import { getFile } from "../../../shared/services/blobs/bucket.ts";
import { uploadFileKey } from "../../../shared/services/blobs/names.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { findMessage } from "../../../shared/store/messages/messages.ts";
import { reactionsOf } from "../../../shared/store/messages/reactions.ts";
import { findUploads, getSpaceUsedBytes, listClaims } from "../../../shared/store/organization/uploads.ts";
import { withFailure } from "../../support/faults.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { target } from "../../support/target.ts";
import { items } from "./imported-items.ts";
import { aFolder, at, miranda, prospero, theTempest } from "./slack-archive.ts";

/** A stand-in for Slack's servers: it has the ship's file and the emoji `storm` for whoever has the token. */
let slack: string;
let isDown = false;
const asked: { url: string | undefined; authorization: string | undefined }[] = [];
const server = createServer((request, response) => {
  const { url, headers } = request;
  asked.push({ url, authorization: headers.authorization });
  const isAllowed = headers.authorization === "Bearer xoxb-1";
  if (isDown) response.writeHead(404).end();
  else if (url === "/api/emoji.list" && isAllowed)
    response.end(JSON.stringify({ ok: true, emoji: { storm: `${slack}/storm.png`, tempest: "alias:storm" } }));
  else if (url === "/storm.png") response.end(readFileSync(join(import.meta.dirname, "../../support/globe.png")));
  else if (url?.startsWith("/files-pri/") && isAllowed) response.end("ship");
  else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<p>Sign in to Slack</p>");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  slack = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const optionsWith = (changed: Partial<SlackOptions> = {}): SlackOptions => ({
  ...{ ownerEmail: undefined, token: "xoxb-1", withFiles: true, secret: "a secret", now: 1_750_000_000 },
  servers: { files: slack, api: slack, emoji: slack },
  ...changed,
});

const planOf = (files: Record<string, unknown>, changed?: Partial<SlackOptions>) =>
  planSlackImport(aFolder(files), optionsWith(changed));

const nothing: WrittenSoFar = { emoji: [], files: new Set() };
const contentsOf = async (files: Record<string, unknown>) =>
  [...(await planOf(files)).messages()].map((message) => message.content(nothing));

/** An archive with one channel, whose messages on one day are these. */
const withMessages = (messages: unknown[]) => ({
  "users.json": [prospero, miranda],
  "channels.json": [{ id: "C1", name: "island", members: [prospero.id] }],
  "island/2024-01-01.json": messages,
});
const said = (minute: number, text: string, more: object = {}) => ({
  type: "message",
  user: miranda.id,
  ts: at(1, minute),
  text,
  ...more,
});

test.each([
  ["*bold*, _italic_, ~struck~ and `code`", "**bold**, *italic*, ~~struck~~ and `code`"],
  ["a &lt; b &amp;&amp; `c &gt; d`", "a < b && `c > d`"],
  ["<@U0PROSPERO>, <@U0PROSPERO|prospero>, <@U0NOBODY|nobody>", "@**Prospero|1**, @**Prospero|1**, @nobody"],
  ["<#C1|island> <#C9|elsewhere> <!here> <!subteam^S1|@team>", "#**island** #elsewhere @**all** @team"],
  ["```const a = 1;\nb &lt; c```", "```\nconst a = 1;\nb < c\n```"],
  ["&gt; quoted\nnot quoted", "> quoted\n\nnot quoted"],
  [
    "<https://example.com/?a=1&amp;b=2|a link> <https://example.com/>",
    "[a link](https://example.com/?a=1&b=2) https://example.com/",
  ],
  [":thumbsup::skin-tone-2: :no_such_emoji: at 10:30:45", ":+1: :no_such_emoji: at 10:30:45"],
  ["<!date^1392734382^Posted {date_num}|Posted 2014-02-18>", "Posted 2014-02-18"],
])("the markup of %s", async (text, content) => {
  expect(await contentsOf(withMessages([said(1, text)]))).toEqual([content]);
});

const words = (text: string, style: object = {}) => ({ type: "text", text, style });
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const list = (style: string, indent: number, items: string[], more: object = {}) => ({
  ...{ type: "rich_text_list", style, indent, border: 0, elements: items.map((item) => section(words(item))) },
  ...more,
});
const rich = (...elements: object[]) => ({ type: "rich_text", elements });

test.each<[name: string, blocks: object[], content: string]>([
  [
    "nested lists and the text below them",
    [
      rich(
        section(words("To do:\n")),
        list("ordered", 0, ["sail"]),
        list("bullet", 1, ["north", "south"]),
        list("ordered", 0, ["land"], { offset: 1 }),
        section(words("Then rest")),
      ),
    ],
    "To do:\n\n1. sail\n  * north\n  * south\n2. land\n\nThen rest",
  ],
  [
    "quotations, also of lists",
    [
      rich(
        {
          type: "rich_text_quote",
          elements: [words("Be not afeard\n"), words("the isle", { bold: true, code: true })],
        },
        list("bullet", 0, ["sounds"], { border: 1 }),
        { type: "rich_text_preformatted", border: 1, elements: [words("airs")] },
        section(words("said he")),
      ),
    ],
    "> Be not afeard\n> **`the isle`**\n> * sounds\n> \n> ```\n> airs\n> ```\n\nsaid he",
  ],
  [
    "a table",
    [
      {
        type: "table",
        rows: [
          [rich(section(words("Who", { bold: true }))), { type: "raw_text", text: "What | when" }],
          [
            rich(section({ type: "user", user_id: "U0PROSPERO" }, words("\nor\nnobody"))),
            rich(section(words("sea|shore", { code: true }), words(" a|b"))),
          ],
          [{ type: "raw_text", text: "a ` lone | sign" }],
        ],
      },
    ],
    "| **Who** | What &#124; when |\n| --- | --- |\n| @**Prospero** or nobody | `sea|shore` a&#124;b |\n| a ` lone &#124; sign |  |",
  ],
  [
    "Markdown, a video, and what there is no word for",
    [
      { type: "markdown", text: "**now** [there](https://example.com/)" },
      {
        ...{ type: "video", title: { type: "plain_text", text: "A storm" }, title_url: "https://example.com/storm" },
        description: { type: "plain_text", text: "at sea" },
      },
      rich({ type: "unknown_block" }, section({ type: "canvas", file_id: "F1" })),
      { type: "call", call: { v1: { id: "R1" } } },
    ],
    "**now** [there](https://example.com/)\n\n[A storm](https://example.com/storm)\n\nat sea",
  ],
])("in blocks, %s", async (_, blocks, content) => {
  expect(await contentsOf(withMessages([said(1, "fallback", { blocks })]))).toEqual([content]);
});

test("in a table, a mention of one of two people with the same name mentions neither", async () => {
  const cell = rich(section({ type: "user", user_id: "U0OTHER" }, words(", "), { type: "user", user_id: "U0MIRANDA" }));
  const blocks = [{ type: "table", rows: [[cell]] }];
  const files = withMessages([said(1, "fallback", { blocks })]);
  const contentsWith = (more: object) => {
    const other = { id: "U0OTHER", name: "other", real_name: "Prospero", profile: { email: "o@milan.example" } };
    return contentsOf({ ...files, "users.json": [prospero, miranda, { ...other, ...more }] });
  };

  expect(await contentsWith({})).toEqual(["| @Prospero, @**Miranda** |\n| --- |"]);
  expect(await contentsWith({ deleted: true })).toEqual(["| @Prospero, @**Miranda** |\n| --- |"]);
  expect(await contentsWith({ real_name: "Gonzalo" })).toEqual(["| @**Gonzalo**, @**Miranda** |\n| --- |"]);
});

test("a text that is too long is truncated, and keeps the links to its files", async () => {
  const files = [{ id: "F1", name: "ship.txt", permalink: "https://milan.slack.com/files/U1/F1/ship.txt" }];
  const [content = ""] = await contentsOf(withMessages([said(1, "x".repeat(40_000), { files })]));

  expect(content).toHaveLength(10_000);
  expect(content).toMatch(/x\n\[message truncated\]\n\n\[ship.txt\]\(https:\S+\)$/);
});

test("a thread is a topic, named by its first message and apart from others of that name", async () => {
  const [a, b] = [at(1, 1), at(1, 2)];
  const plan = await planOf(
    withMessages([
      said(1, "*Lunch?*\nat noon", { thread_ts: a }),
      said(2, "Lunch?", { thread_ts: b }),
      said(3, "yes", { thread_ts: a }),
      said(4, "no", { thread_ts: b, subtype: "thread_broadcast" }),
      said(5, "elsewhere"),
      said(6, "to a message that is gone", { thread_ts: "1704000000.000100" }),
    ]),
  );

  expect([...plan.messages()].map(({ message }) => message.topic)).toEqual([
    ...["Lunch?", "Lunch? (2)", "Lunch?", "Lunch? (2)", "imported from Slack", "Thread of 2023-12-31"],
  ]);
});

test("of a file, what Slack wrote about it is left out, and what somebody wrote stays", async () => {
  const file = { id: "F1", name: "a.md", user: miranda.id, permalink: "https://milan.slack.com/files/U1/F1/a.md" };
  const link = `[a.md](${file.permalink})`;
  const upload = (minute: number, text: string, more: object) =>
    said(minute, text, { subtype: "file_share", upload: true, bot_id: null, ...more });
  const contents = await contentsOf(
    withMessages([
      upload(1, `<@U0MIRANDA> uploaded a file: <${file.permalink}|a.md> and commented: see *this*`, { file }),
      upload(2, `<@U0MIRANDA|miranda> shared a file: <${file.permalink}|a.md>`, { file }),
      { ...said(3, "<@U0PROSPERO> commented on a file: fine"), user: undefined, subtype: "file_comment", file: null },
      {
        ...{ ...said(4, ""), user: undefined, subtype: "file_comment" },
        comment: { id: "Fc1", user: prospero.id, comment: "fine" },
      },
      // Of another message, which somebody shares; and what nobody can see.
      said(5, "look", {
        attachments: [
          {
            ...{
              is_share: true,
              is_msg_unfurl: true,
              from_url: "https://milan.slack.com/archives/C1/p1704110460000100",
            },
            ...{
              ts: at(1, 1),
              author_name: "Miranda",
              text: "see *this*",
              fallback: "[January 1st] miranda: see",
              files: [file],
            },
          },
          { fallback: "[no preview available]" },
        ],
        files: [
          { id: "F2", mode: "tombstone" },
          { id: "F3", mode: "hidden_by_limit", name: "b.md" },
          { id: "F4", file_access: "check_file_info" },
        ],
      }),
    ]),
  );
  expect(contents).toEqual([
    ...[`see **this**\n\n${link}`, link, "fine"],
    `look\n\n**Miranda**\n\nsee **this**\n\n${link}`,
  ]);
});

test("a bot without a name gets the one that Slack told when it was added; nobody's ID is as long as a text", async () => {
  const added = "added an integration to this channel: <https://acme.slack.com/services/B0HUB|GitHub>";
  const { members, report } = await planOf(
    withMessages([
      said(1, added, { subtype: "bot_add", bot_id: "B0HUB" }),
      { type: "message", subtype: "bot_message", bot_id: "B0HUB", ts: at(1, 2), text: "pushed" },
      { type: "message", user: "U".repeat(3000), ts: at(1, 3), text: "by nobody" },
    ]),
  );

  expect(members.map(({ fullName }) => fullName)).toEqual(["Prospero", "Miranda", "GitHub"]);
  expect(String(report)).toContain(`1  messages without an author (${at(1, 3)} in island/2024-01-01.json)`);
});

test("what cannot come is reported with the reason, and what makes no sense is refused", async () => {
  const { report } = await planOf({
    ...withMessages([
      said(5, "look", {
        files: [
          { id: "F2", mode: "tombstone" },
          { id: "F3", file_access: "check_file_info" },
        ],
      }),
      said(1, "twice"),
      said(1, "twice"),
      { type: "message", text: "without a time" },
      { type: "message", ts: at(1, 2), text: "by nobody" },
      said(3, "", { reactions: { name: "smile" }, edited: "yesterday" }),
      said(4, "x".repeat(40_000)),
    ]),
    "users.json": [
      prospero,
      { ...miranda, profile: { email: "Prospero@milan.example" } },
      { id: "U9", name: "nemo", profile: { title: "Captain" } },
    ],
    "channels.json": [
      { id: "C1", name: "island", members: [], pins: [{ id: at(1, 1), type: "C", user: miranda.id }] },
      { id: "C2", name: "Island", members: [] },
    ],
    "dms.json": [
      { id: "D1", members: [] },
      { id: "D2", members: [prospero.id, { id: miranda.id }] },
    ],
    "island/canvas_in_the_conversation.json": [],
    "canvases.json": [{ id: "F1", title: "Plans" }],
  });
  for (const line of [
    "1  people with another's address: they get a placeholder (miranda)",
    "1  people without an address: they get a placeholder (nemo)",
    "1  channels under another name (Island → Island (2))",
    "1  direct conversations without people, or with too many (D1)",
    "1  files in conversations that are not of a day, such as canvases",
    "1  files named canvases.json",
    "1  fields of dms.json that are not as Slack writes them (members of entry 2)",
    "2  fields of messages that are not as Slack writes them (edited of entry 6 of island/2024-01-01.json, reactions of entry 6 of island/2024-01-01.json)",
    "1  pinned messages and files",
    "1  titles, telephone numbers and statuses of people",
    "1  entries that are not messages, because they have no valid time",
    "1  messages that are twice in the archive",
    "1  messages without an author",
    "1  messages without anything that can be shown",
    "3  messages in channels",
    "1  files that were deleted in Slack, or are hidden by its plan",
    "1  files of other workspaces, of which the export has no more than the ID",
    "1  messages of more than 10000 characters: they are truncated",
  ])
    expect(String(report)).toContain(line);

  const refused: [files: Record<string, unknown>, problem: string][] = [
    [{ ...withMessages([]), "users.json": "[{]" }, "users.json is not JSON in UTF-8"],
    [{ ...withMessages([]), "users.json": { ok: true } }, "users.json is not a list"],
    [{ ...withMessages([]), "users.json": [] }, "users.json has no users"],
    [{ ...withMessages([]), "users.json": [miranda] }, "users.json has no owner"],
    [{ ...withMessages([]), "users.json": [{ ...prospero, profile: {} }] }, "add --owner"],
    [
      { ...withMessages([]), "island/2024-01-02.json": Buffer.from('["\xe9"]', "latin1") },
      "2024-01-02.json is not JSON in UTF-8",
    ],
    [{ ...withMessages([]), "island/2024-01-02.json": {} }, "2024-01-02.json is not a list"],
    [{ ...withMessages([]), "island/2024-01-02.json": Buffer.alloc(65 * 1024 * 1024, " ") }, "more than 64 MB"],
  ];
  for (const [files, problem] of refused) await expect(planOf(files)).rejects.toThrow(problem);
  const withOwner = { ...withMessages([]), "users.json": [{ ...prospero, profile: {} }] };
  expect((await planOf(withOwner, { ownerEmail: "duke@milan.example" })).members[0]?.email).toBe("duke@milan.example");
  const { "users.json": everybody, ...others } = withMessages([]);
  const ofEnterprise = { ...others, "org_users.json": everybody };
  expect(isSlackExport(aFolder(ofEnterprise))).toBe(true);
  expect((await planOf(ofEnterprise)).members).toMatchObject([{ fullName: "Prospero" }, { fullName: "Miranda" }]);
});

test("nothing that a message may contain makes the import fail", async () => {
  const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom("<@U0MIRANDA|", "*_~`", "<!", "\0", "\ud800"));
  const block = fc.record({
    type: fc.constantFrom(
      "rich_text",
      "section",
      "context",
      "header",
      "image",
      "actions",
      "table",
      "markdown",
      "video",
    ),
    ...{ text: anything, fields: anything, title: anything, rows: fc.array(fc.array(anything)) },
    elements: fc.array(
      fc.record({ type: fc.constantFrom("rich_text_list", "rich_text_quote"), indent: anything, elements: anything }),
    ),
  });
  const message = fc.record(
    {
      ...{ subtype: anything, user: fc.constantFrom("U0MIRANDA", "U0OTHER", ""), bot_id: anything, text: anything },
      ...{ thread_ts: fc.constantFrom(at(1, 1), "x", "99999999999.000000"), edited: anything, files: anything },
      ...{ reactions: anything, attachments: anything, blocks: fc.array(block), comment: anything },
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (messages) => {
      const plan = await planOf(withMessages(messages.map((one, index) => ({ ...one, ts: at(1, index) }))));
      const planned = [...plan.messages()];
      expect(planned).toHaveLength(plan.messageCount);
      for (const one of planned) {
        expect(one.content(nothing)).not.toContain("\0");
        expect([...one.content(nothing)].length).toBeLessThanOrEqual(10_000);
        expect(one.content(nothing).trim()).not.toBe("");
        one.reactions(nothing);
      }
    }),
    { numRuns: 100 },
  );
});

describe("into a table", () => {
  Object.assign(process.env, target().environment);
  beforeEach(async () => {
    isDown = false;
    asked.length = 0;
    useSeparateTable();
  });
  afterEach(leaveSeparateTables);

  /** Begins an import, or continues one. */
  async function importFrom(folder: string, options = optionsWith()) {
    const progress = { ...(await findProgress(folder)), startedAt: options.now };
    return writeImport(await planSlackImport(folder, options), "Milan", progress);
  }

  test("files and custom emoji come by a token, which only Slack gets", async () => {
    const folder = aFolder(theTempest(slack));
    const { files, missingFiles, fileBytes } = await importFrom(folder);

    expect({ files, missingFiles, fileBytes }).toEqual({ files: 1, missingFiles: 0, fileBytes: 4 });
    const withFile = await findMessage(5);
    const [pathId = ""] = withFile?.uploads ?? [];
    expect(pathId).toMatch(/^1\/[0-9a-f]{2}\/[\w-]{24}\/ship\.txt$/);
    expect(withFile?.content).toBe(`The ship, as drawn\n\n[The ship](/user_uploads/${pathId})`);
    expect((await findMessage(9))?.content).toBe(`See [the drawing](/user_uploads/${pathId})`);
    expect(Buffer.from((await getFile(uploadFileKey(pathId)))?.content ?? "").toString()).toBe("ship");
    expect(await findUploads([pathId])).toMatchObject([{ id: 1, ownerId: 1, name: "ship.txt", size: 4, claims: 1 }]);
    expect(await listClaims(pathId, 10)).toMatchObject([{ messageId: 5 }]);
    expect(await getSpaceUsedBytes()).toBe(4);
    const [greeting, stormy] = [await findMessage(2), asked.find(({ url }) => url === "/storm.png")];
    expect(greeting && reactionsOf(greeting)).toMatchObject([
      ...[1, 3].map((userId) => ({ name: "+1", userId })),
      { type: "realm_emoji", code: "1", name: "storm", userId: 1 },
    ]);
    expect(stormy?.authorization).toBeUndefined();
  });

  test("a file that Slack does not give stays a link, without the export's own token", async () => {
    isDown = true;
    const { files, missingFiles } = await importFrom(aFolder(theTempest(slack)), optionsWith({ token: undefined }));

    expect({ files, missingFiles }).toEqual({ files: 0, missingFiles: 1 });
    expect((await findMessage(5))?.content).toBe(
      "The ship, as drawn\n\n[The ship](https://milan.slack.com/files/U0PROSPERO/F0SHIP/ship.txt)",
    );
  });

  test("of two runs at once, the first ends without changing what the second has finished", async () => {
    const folder = aFolder(theTempest(slack));
    const plan = await planSlackImport(folder, optionsWith());
    let finished: unknown;
    plan.fetchEmoji = async () => {
      await importFrom(folder);
      finished = await items();
      return [];
    };

    await expect(writeImport(plan, "Milan", newProgress(folder))).rejects.toThrow("Another process has started");

    expect(await items()).toEqual(finished);
  });

  test("an import that dies at one call after another is continued, and leaves what an undisturbed one leaves", async () => {
    // More messages than a batch.
    const many = Array.from({ length: 560 }, (_, index) =>
      said(index % 60, `${index}`, { ts: `17042${10_000 + index}.000100` }),
    );
    const folder = aFolder({ ...theTempest(slack), "island/2024-01-03.json": many });
    const { trace } = await withTrace(() => importFrom(folder));
    const undisturbed = await items();
    // Items of messages take 4 units; the index of words, the marks and everything else are in the rest.
    expect(trace.writeUnits / 573).toBeLessThan(5);

    for (const when of ["before", "afterwards"] as const) {
      useSeparateTable();
      for (let [nth, reached] = [1, true]; reached; nth += nth < 12 ? 1 : 5) {
        const attempt = await withFailure(nth, when, () => importFrom(folder));
        ({ reached } = attempt);
        if (!reached && attempt.error) expect(String(attempt.error)).toContain("There is an organization already");
        if (nth === 8) {
          // Meanwhile nobody can use the organization, and no other is created in its place.
          await expect(loadRealm()).rejects.toThrow("The organization is being imported");
          const file = parseOrganizationFile(readFileSync("organization.sample.json", "utf8"));
          await expect(createOrganization(file, process.env, ".")).rejects.toThrow("an import has begun here");
          await expect(importFrom(aFolder(theTempest(slack)))).rejects.toThrow("Another archive");
        }
      }
      expect(await items()).toEqual(undisturbed);
      await expect(importFrom(folder)).rejects.toThrow(ArchiveError);
    }
  }, 600_000);
});
