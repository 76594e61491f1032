import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withTrace } from "../../../shared/base/observability/trace.ts";
import { readBotStorage } from "../../../shared/features/bot-storage/bot-storage.ts";
import { entriesOf, rowsOf } from "../../../shared/features/import/json-rows.ts";
import { UniqueNames } from "../../../shared/features/import/names.ts";
import type { ImportPlan, PlannedMessage, WrittenSoFar } from "../../../shared/features/import/plan.ts";
import { RenderContexts } from "../../../shared/features/import/render-context.ts";
import { storedFiles } from "../../../shared/features/import/stored-files.ts";
import { findProgress, newProgress, writeImport } from "../../../shared/features/import/write.ts";
import { writeMessages } from "../../../shared/features/import/write-messages.ts";
import { planZulipImport, type ZulipOptions } from "../../../shared/features/import/zulip/plan.ts";
import { indexUpTo } from "../../../shared/messaging/messages/search/indexing.ts";
import { linkedPathIds } from "../../../shared/messaging/uploads/link-metadata.ts";
import { getFile } from "../../../shared/services/blobs/bucket.ts";
import { uploadFileKey } from "../../../shared/services/blobs/names.ts";
import { findMessage } from "../../../shared/store/messages/messages.ts";
import { reactionsOf } from "../../../shared/store/messages/reactions.ts";
import { listScheduledMessages } from "../../../shared/store/messages/scheduled-messages.ts";
import {
  findUploads,
  getSpaceUsedBytes,
  listClaims,
  listUnclaimed,
  listUploads,
} from "../../../shared/store/organization/uploads.ts";
import { batchWrite, itemsOf } from "../../../shared/store/table/bulk.ts";
import type { Write } from "../../../shared/store/table/writes.ts";
import { withFailure } from "../../support/faults.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { target } from "../../support/target.ts";
import { items } from "./imported-items.ts";
import { aFolder } from "./slack-archive.ts";
import {
  group,
  ids,
  message,
  realm,
  received,
  scheduledMessage,
  sentAt,
  status,
  theTempest,
  user,
} from "./zulip-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const options: ZulipOptions = { ownerEmail: undefined, oldUrl: undefined, secret: "a secret", now: 1_750_000_000 };
const planOf = (files: Record<string, unknown>, changed: Partial<ZulipOptions> = {}) =>
  planZulipImport(aFolder(files), { ...options, ...changed });

/** An export with these messages and no more. */
const withMessages = (zerver_message: unknown[], more: Record<string, unknown[]> = {}) => ({
  ...{ "migration_status.json": status(), "realm.json": realm(more), "attachment.json": { zerver_attachment: [] } },
  "messages-000001.json": { zerver_message, zerver_usermessage: [] },
});
const nothing: WrittenSoFar = { emoji: [], files: new Set() };
const contentsOf = (plan: ImportPlan) => [...plan.messages()].map((one) => one.content(nothing));

test.each([
  ["@**Old Name|103** and @_**Prospero|101**", "@**Miranda|2** and @_**Prospero|1**"],
  ["@**Stranger|999**", "@**Stranger**"],
  ["@**\n\nof two|101**", "@**\n\nof two|101**"],
  ["@**all** @*spirits* #**island** #**island>storms**", "@**all** @*spirits* #**island** #**island>storms**"],
  ["#**island>storms@701** #**island>storms@999**", "#**island>storms@1** #**island>storms**"],
  ["[a](#narrow/channel/31-island/topic/storms/near/701)", "[a](/#narrow/channel/1-island/topic/storms/near/1)"],
  ["[a](/#narrow/stream/31-island/topic/storms/near/999)", "[a](/#narrow/stream/1-island/topic/storms)"],
  ["[a](#narrow/dm/101,103-group) [b](#user/107)", "[a](/#narrow/dm/1,2-group) [b](/#user/3)"],
  [
    "https://milan.zulip.example/#narrow/channel/31-island.",
    "[https://milan.zulip.example/#narrow/channel/31-island](/#narrow/channel/1-island).",
  ],
  ["https://elsewhere.example/#narrow/channel/31-island", "https://elsewhere.example/#narrow/channel/31-island"],
])("what %s becomes", (content, expected) => {
  const plan = planOf(withMessages([message(701, ids.miranda, ids.toIsland, content)]));
  expect(contentsOf(plan)).toEqual([expected]);
});

test("a link that ends with very many dots takes time in proportion to its length", () => {
  const dots = ".".repeat(100_000);
  const plan = planOf(withMessages([message(701, ids.miranda, ids.toIsland, `#narrow/${dots}a`)]));
  expect(contentsOf(plan)[0]).toMatch(/^\/#narrow\/\.+/);
});

test("a mention without an ID means whom the HTML in the archive says, under the name of today", () => {
  const rendered_content = `<p><span class="user-mention" data-user-id="103">@Mira &amp; Co</span></p>`;
  const plan = planOf(withMessages([message(701, ids.prospero, ids.toIsland, "@**Mira & Co**", { rendered_content })]));
  expect(contentsOf(plan)).toEqual(["@**Miranda|2**"]);
});

test("the report counts what comes, and says what does not", () => {
  const { report } = planOf({
    ...theTempest(globe, {
      zerver_userprofile: [
        user(ids.prospero, "Prospero", { role: 100 }),
        user(ids.miranda, "Miranda", { delivery_email: "prospero@milan.example" }),
        user(ids.caliban, "Cali*ban", { delivery_email: "" }),
        { id: "no number" },
      ],
      zerver_groupgroupmembership: [
        { id: 1, supergroup: 601, subgroup: 603 },
        { id: 2, supergroup: 603, subgroup: 601 },
      ],
      zerver_namedusergroup: [group(601, "spirits"), group(603, "Spirits")],
      zerver_unheardof: [{ id: 1 }],
    }),
    "messages-000003.json": {
      zerver_message: [
        message(731, 999, ids.toIsland, "by nobody"),
        message(733, ids.miranda, 999, "to nobody"),
        message(735, ids.miranda, ids.toIsland, "x".repeat(20_000)),
        { id: 737 },
        message(739, ids.miranda, ids.toIsland, "twice"),
        message(739, ids.miranda, ids.toIsland, "twice"),
      ],
      zerver_usermessage: [null],
    },
  });
  for (const line of [
    "3  people",
    "2  groups",
    "1  private channels",
    "1  archived channels",
    "1  people with another's address: they get a placeholder (Miranda)",
    "1  people without an address: they get a placeholder (Cali*ban)",
    "1  people whose names have characters that are not allowed (Cali*ban → Caliban)",
    "1  rows of zerver_userprofile that are not as Zulip writes them",
    "1  rows of zerver_unheardof, which cannot be imported",
    "1  groups that contained themselves through others: the last nesting is left out",
    "1  groups under another name (Spirits → Spirits (2))",
    "2  messages of senders who are not in the export",
    "1  messages to channels or people who are not in the export",
    "1  messages that are twice in the archive",
    "1  rows of zerver_message that are not as Zulip writes them",
    "1  rows of zerver_usermessage that are not as Zulip writes them",
    "1  messages of more than 10000 characters: they are truncated",
    "1  reactions of people who are not in the export",
    "1  files",
  ])
    expect(String(report)).toContain(line);
});

const refused: [problem: string, files: Record<string, unknown>][] = [
  [
    "The export is from Zulip 9.4; exports of Zulip 10 to 12 can be imported",
    { "migration_status.json": status("9.4") },
  ],
  ["The export is from Zulip 13.0-dev+git", { "migration_status.json": status("13.0-dev+git") }],
  ["from Zulip of an unknown version", { "migration_status.json": [] }],
  ["realm.json is not JSON in UTF-8", { "realm.json": "{" }],
  ["realm.json is not an object of tables", { "realm.json": [] }],
  ["realm.json has no organization", { "realm.json": realm({ zerver_realm: [] }) }],
  ["realm.json has no users", { "realm.json": realm({ zerver_userprofile: [] }) }],
  ["no active owner", { "realm.json": realm({ zerver_userprofile: [user(101, "Prospero")] }) }],
  [
    "add --owner",
    { "realm.json": realm({ zerver_userprofile: [user(101, "Prospero", { role: 100, delivery_email: "" })] }) },
  ],
  ["The export is not complete", { "messages-000009.json.partial": {} }],
  [
    "messages-000002.json has messages that belong before those of earlier files",
    { "messages-000002.json": { zerver_message: [message(699, ids.miranda, ids.toIsland, "earlier")] } },
  ],
  [
    "zerver_usergroupmembership in realm.json is not a list of rows",
    { "realm.json": { ...realm(), zerver_usergroupmembership: { id: 1 } } },
  ],
  [
    "realm.json has no users (zerver_userprofile); 1 rows of zerver_userprofile that are not as Zulip writes them (row 1 of realm.json: id)",
    { "realm.json": { ...realm(), zerver_userprofile: [{ ...user(101, "Prospero"), id: "x" }] } },
  ],
  ["is not JSON in UTF-8", { "messages-000001.json": Buffer.from('{"zerver_message":["\xe9"]}', "latin1") }],
];
test.each(refused)("an archive is refused: %s", (problem, files) => {
  const archive = { ...withMessages([message(701, ids.miranda, ids.toIsland, "hello")]), ...files };
  expect(() => planOf(archive)).toThrow(problem);
});

test("an archive without the file of its version is refused, and one without its files comes without them", () => {
  const { "migration_status.json": _, ...unknown } = withMessages([]);
  expect(() => planOf(unknown)).toThrow("has no migration_status.json");
  const { "attachment.json": __, ...without } = withMessages([]);
  expect(String(planOf(without).report)).toContain("1  attachment.json, which is missing");
});

test("values that are not read are in the report, with their files and rows", () => {
  const rows = [
    message(701, ids.miranda, ids.toIsland, "hello", { subject: { a: 1 } }),
    message(702, ids.miranda, ids.toIsland, "hello", { last_edit_time: 1e300, edit_history: null }),
  ];
  const { zerver_subscription: subscriptions } = realm();
  const more = { zerver_subscription: [{ ...subscriptions?.[0], color: [7] }, ...(subscriptions ?? []).slice(1)] };

  const ofRealm = { ...realm().zerver_realm[0], can_invite_users_group: { id: 1 }, description: 7 };
  const rowsOfRealm = { ...more, zerver_realm: [ofRealm], zerver_realmuserdefault: [{ color_scheme: 99 }] };

  const report = String(planOf(withMessages(rows, rowsOfRealm as Record<string, unknown[]>)).report);

  expect(report).toContain(
    "2  settings of the organization whose values are not possible here (can_invite_users_group, description)",
  );
  expect(report).toContain("1  defaults of new people whose values are not possible here (color_scheme)");
  expect(report).toContain(
    "2  fields of zerver_message that are not as Zulip writes them (row 1 of messages-000001.json: subject, row 2 of messages-000001.json: last_edit_time)",
  );
  expect(report).toContain(
    "1  fields of zerver_subscription that are not as Zulip writes them (row 1 of realm.json: color)",
  );
});

test("rows are the same, whether a file is parsed at once or row by row", () => {
  const table = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 });
  const file = fc.dictionary(
    fc.oneof(
      fc.constant("zerver_client"),
      fc.string().filter((name) => name !== "__proto__"),
    ),
    fc.oneof(table, fc.string(), fc.integer(), fc.constantFrom(null, {}, { zerver_client: "x" })),
    { maxKeys: 4 },
  );
  fc.assert(
    fc.property(file, fc.boolean(), (tables, hasMark) => {
      const folder = aFolder({ "realm.json": (hasMark ? "\ufeff" : "") + JSON.stringify(tables, null, 2) });
      const read = (maxAtOnce?: number) => {
        try {
          return [...rowsOf(folder, "realm.json", maxAtOnce)];
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(read(0)).toEqual(read());
      expect(typeof read() === "string").toBe(
        Object.hasOwn(tables, "zerver_client") && tables.zerver_client !== null && !Array.isArray(tables.zerver_client),
      );
    }),
    { numRuns: 50 },
  );
});

test("entries of a list are the same, whether a file is parsed at once or entry by entry", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }), (list) => {
      const folder = aFolder({ "records.json": JSON.stringify(list) });
      expect([...entriesOf(folder, "records.json", 0)]).toEqual([...entriesOf(folder, "records.json")]);
    }),
    { numRuns: 50 },
  );
  const folder = aFolder({ "records.json": { a: [1] } });
  for (const maxAtOnce of [0, undefined])
    expect(() => [...entriesOf(folder, "records.json", maxAtOnce)]).toThrow("records.json is not a list");
});

test("equal names each get the next number, as fast for the last as for the first", () => {
  const names = new UniqueNames(["nobody"]);
  expect([names.take("Nobody", 20), names.take("spirits", 20), names.take("Spirits", 20)]).toEqual([
    ...["Nobody (2)", "spirits", "Spirits (2)"],
  ]);
  const many = Array.from({ length: 50_000 }, () => names.take("a name of 20 letters", 20));
  expect(new Set(many).size).toBe(50_000);
  expect(many.at(-1)).toBe("a name of 2… (50000)");
}, 10_000);

test.each([
  ["it ends too early", '{"a": [1'],
  ["is not an object of tables", "[1]"],
  ["is nested more than 100 levels deep", `{"a": ${"[".repeat(1000)}`],
  ["is not JSON in UTF-8", Buffer.from('{"a": ["\xe9"]}', "latin1")],
  ["has an entry of more than 16 MB", `{"a": ["${"x".repeat(17 * 1024 * 1024)}"]}`],
])("a large file is refused that %s", (problem, content) => {
  const folder = aFolder({ "realm.json": content });
  expect(() => [...rowsOf(folder, "realm.json", 0)]).toThrow(problem);
});

test("settings that Zulip stores as numbers come, and a service without a token gets one", () => {
  const trinculo = user(ids.trinculo, "Trinculo", { is_bot: true, bot_type: 3, bot_owner: ids.miranda });
  const miranda = user(ids.miranda, "Miranda", { resolved_topic_notice_auto_read_policy: 2 });
  const { details, members } = planOf(
    withMessages([], {
      zerver_userprofile: [user(ids.prospero, "Prospero", { role: 100 }), miranda, trinculo],
      zerver_service: [{ user_profile: ids.trinculo, name: "jester", base_url: "https://jester.example", token: "" }],
    }),
  );
  expect([...details.settings.values()]).toEqual([{ resolved_topic_notice_auto_read_policy: "except_followed" }]);
  expect(members.flatMap(({ bot }) => bot?.services ?? [])).toMatchObject([
    { token: expect.stringMatching(/^[0-9a-f]{32}$/) },
  ]);
});

test("what is not allowed here is left out with the reason", () => {
  const { report, details } = planOf(
    withMessages([], {
      zerver_realmfilter: [{ id: 1, pattern: "((", url_template: "https://bugs.example/", order: 0 }],
      zerver_realmplayground: [
        { name: "Spells", pygments_language: "Python", url_template: "https://spells.example/" },
      ],
      zerver_customprofilefield: [{ id: 1, name: "Odd", field_type: 99, field_data: "" }],
      zerver_savedsnippet: [{ user_profile: ids.miranda, title: " ", content: "x" }],
      zerver_navigationview: [{ user: ids.miranda, fragment: "narrow/is/dm", name: null }],
      zerver_scheduledmessage: [
        { sender: ids.miranda, recipient: 999, content: "x", scheduled_timestamp: 5e9, delivery_type: 1 },
      ],
      zerver_service: [{ user_profile: ids.trinculo, name: "jester", base_url: "javascript:", token: "t0" }],
      constructor: [{ id: 1 }],
    }),
  );
  for (const line of [
    "1  linkifiers that are not allowed here (((: Bad regular expression",
    "1  playgrounds that are not allowed here (Spells: Missing the required variable",
    "1  profile fields that are not allowed here (Odd: its type is not known)",
    "1  saved snippets that are not allowed here ( : title cannot be blank)",
    "1  navigation views that are not allowed here (narrow/is/dm: Custom views must have a valid name.)",
    "1  scheduled messages to where nobody is",
    "1  rows of constructor, which cannot be imported",
    "1  services of outgoing webhooks without an address (Trinculo)",
  ])
    expect(String(report)).toContain(line);
  expect(details.linkifiers).toEqual([]);
});

test("snippets and earlier scheduled messages link to files that only a later scheduled message has", () => {
  const path_id = "2/cd/oOjz3Xt0cQ/chart.txt";
  const content = `[chart](/user_uploads/${path_id})`;
  const { details } = planOf({
    ...withMessages([], {
      zerver_savedsnippet: [{ user_profile: ids.miranda, title: "Chart", content, date_created: sentAt(0) }],
      zerver_scheduledmessage: [6, 7].map((id) =>
        scheduledMessage(id, ids.toIsland, { scheduled_timestamp: 2_000_000_000, subject: "later", content }),
      ),
    }),
    "attachment.json": {
      zerver_attachment: [
        { id: 1, path_id, owner: ids.miranda, create_time: sentAt(0), messages: [], scheduled_messages: [7] },
      ],
    },
    [`uploads/${path_id}`]: "a chart",
  });

  const translated = { content: `[chart](/user_uploads/${details.scheduledFiles[0]?.pathId})` };
  expect(details.snippets).toMatchObject([translated]);
  expect(details.scheduledMessages).toMatchObject([translated, translated]);
});

test("nothing that a row may contain makes the import fail", () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string(),
    fc.constantFrom("@**|1**", "#narrow/", "\0", "\ud800", "/user_uploads/", 701, ids.toIsland, ids.miranda),
  );
  const odd = fc.record(
    {
      ...{
        sender: fc.constantFrom(ids.miranda, ids.notificationBot, -1),
        recipient: fc.constantFrom(...Object.values(ids)),
      },
      ...{ subject: anything, content: anything, rendered_content: anything, date_sent: fc.constantFrom(1.5, null) },
      edit_history: fc.oneof(
        anything,
        fc
          .array(
            fc.dictionary(
              fc.constantFrom("prev_content", "topic", "prev_topic", "stream", "prev_stream", "timestamp"),
              anything,
            ),
          )
          .map((edits) => JSON.stringify(edits)),
      ),
    },
    { requiredKeys: [] },
  );
  const tables = fc.dictionary(
    fc.constantFrom(...Object.keys(realm()).filter((table) => !/^zerver_(realm|userprofile)$/.test(table))),
    fc.array(
      fc.oneof(
        anything,
        fc.dictionary(
          fc.constantFrom(
            "id",
            "user_profile",
            "recipient",
            "type",
            "type_id",
            "user_group",
            "supergroup",
            "subgroup",
            "name",
            "message",
          ),
          anything,
        ),
      ),
      { maxLength: 4 },
    ),
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 5 }), tables, anything, (messages, more, receipt) => {
      const rows = messages.map((one, index) => ({ ...message(701 + index, ids.miranda, ids.toIsland, "x"), ...one }));
      const files = withMessages(rows, more as Record<string, unknown[]>);
      files["messages-000001.json"].zerver_usermessage = [receipt, received(ids.caliban, 701, 0)] as never[];
      const plan = planOf(files);
      const planned = [...plan.messages()];
      expect(planned).toHaveLength(plan.messageCount);
      for (const one of planned) {
        expect([...one.content(nothing)].length).toBeLessThanOrEqual(10_000);
        expect(one.content(nothing).trim()).not.toBe("");
        expect([...(one.message.topic ?? "")].length).toBeLessThanOrEqual(60);
        one.reactions(nothing);
      }
    }),
    { numRuns: 200 },
  );
});

describe("into a table", () => {
  Object.assign(process.env, target().environment);
  beforeEach(useSeparateTable);
  afterEach(leaveSeparateTables);

  async function importFrom(folder: string) {
    const progress = { ...(await findProgress(folder)), startedAt: options.now };
    const plan = planZulipImport(folder, options);
    return { ...(await writeImport(plan, "Milan", progress)), report: String(plan.report) };
  }

  test("files, custom emoji and reactions come from the archive's folders", async () => {
    const { files, missingFiles } = await importFrom(aFolder(theTempest(globe)));

    expect({ files, missingFiles }).toEqual({ files: 1, missingFiles: 0 });
    const [pathId = ""] = (await findMessage(2))?.uploads ?? [];
    expect((await findMessage(2))?.content).toBe(`See [the ship](/user_uploads/${pathId}), @**Miranda|2**`);
    expect(Buffer.from((await getFile(uploadFileKey(pathId)))?.content ?? "").toString()).toBe("ship");
    expect(await findUploads([pathId])).toMatchObject([{ id: 1, ownerId: 1, name: "ship.txt", size: 4, claims: 2 }]);
    expect(await listClaims(pathId, 10)).toMatchObject([{ messageId: 7 }, { messageId: 2 }]);
    const greeting = await findMessage(1);
    expect(greeting && reactionsOf(greeting)).toMatchObject([
      ...[1, 3].map((userId) => ({ name: "+1", userId })),
      { type: "realm_emoji", code: "1", name: "storm", userId: 1 },
    ]);
    expect(greeting?.html).toContain('src="/user_avatars/1/emoji/images/');
  });

  test("a file that only a scheduled message has is its author's, and is kept for the message", async () => {
    const [inMessages, other] = ["2/ab/oOjz3Xt0cQ/ship.txt", "2/cd/oOjz3Xt0cQ/chart.txt"];
    const { "attachment.json": attachments, ...files } = theTempest(globe, {
      zerver_scheduledmessage: [
        scheduledMessage(7, ids.toIsland, {
          ...{ scheduled_timestamp: 2_000_000_000, subject: "later" },
          content: `[ship](/user_uploads/${inMessages}) [chart](/user_uploads/${other}) [lost](/user_uploads/2/ef/x/lost)`,
        }),
      ],
    });
    const ofMiranda = { owner: ids.miranda, create_time: sentAt(0), messages: [], scheduled_messages: [7] };
    const [ship] = attachments.zerver_attachment;
    const { report } = await importFrom(
      aFolder({
        ...files,
        "attachment.json": {
          zerver_attachment: [
            { ...ship, scheduled_messages: [7] },
            { ...ofMiranda, id: 53, file_name: "chart.txt", path_id: other },
            { ...ofMiranda, id: 57, file_name: "lost", path_id: "2/ef/x/lost" },
            { ...ofMiranda, id: 59, file_name: "unused.txt", path_id: "2/01/x/unused.txt", scheduled_messages: [8] },
          ],
        },
        "uploads/records.json": [],
        [`uploads/${other}`]: "a chart",
        "uploads/2/01/x/unused.txt": "unused",
      }),
    );

    expect(report).toContain("2  files that were fetched");
    expect(report).toContain("1  files that could not be fetched");
    const [scheduled] = await listScheduledMessages(2);
    const [shipPath = "", chartPath = ""] = linkedPathIds(scheduled?.content ?? "");
    expect(scheduled?.content).toMatch(/\[lost\]\(\/user_uploads\/2\/ef\/x\/lost\)$/);
    expect(scheduled?.html).toContain(`href="/user_uploads/${chartPath}"`);
    expect(await findUploads([shipPath, chartPath])).toMatchObject([
      { id: 1, ownerId: 1, name: "ship.txt", claims: 2 },
      { id: 2, ownerId: 2, name: "chart.txt", size: 7, claims: 0 },
    ]);
    expect(await listUploads(2)).toHaveLength(1);
    expect(Buffer.from((await getFile(uploadFileKey(chartPath)))?.content ?? "").toString()).toBe("a chart");
    expect(await listUnclaimed(2_000_000_000_000 - 1, 10)).toEqual([]);
    expect(await listUnclaimed(2_000_000_000_000, 10)).toEqual([chartPath]);
    expect(await getSpaceUsedBytes()).toBe(4 + 7);
  });

  test("a message and what belongs to it cost the write units that docs/moving.md says", async () => {
    const path_id = "2/ab/oOjz3Xt0cQ/ship.txt";
    const former = { user_id: ids.miranda, timestamp: sentAt(13), prev_content: "Hell", prev_rendered_content: "" };
    const plan = planOf({
      ...withMessages([]),
      "messages-000001.json": {
        zerver_message: [
          message(701, ids.miranda, ids.toIsland, "Hello"),
          message(703, ids.prospero, ids.toMiranda, "Hello", { subject: "" }),
          message(705, ids.caliban, ids.toGroup, "Hello", { subject: "" }),
          message(707, ids.prospero, ids.toIsland, "Hello @**Miranda|103**"),
          message(709, ids.miranda, ids.toIsland, "Hello"),
          message(711, ids.miranda, ids.toIsland, "Hello"),
          message(713, ids.miranda, ids.toIsland, "Hello", { edit_history: JSON.stringify([former]) }),
          message(715, ids.miranda, ids.toIsland, `Hello [ship](/user_uploads/${path_id})`, { has_attachment: true }),
        ],
        zerver_usermessage: [received(ids.prospero, 709, 1 + 2), received(ids.prospero, 711, 1 + 4)],
      },
      "attachment.json": {
        zerver_attachment: [{ id: 1, path_id, file_name: "ship.txt", owner: ids.miranda, messages: [715] }],
      },
      "uploads/records.json": [{ s3_path: path_id, path: path_id }],
      [`uploads/${path_id}`]: "ship",
    });
    const units: number[] = [];
    for (const planned of [...plan.messages()]) units.push(await unitsOf(plan, planned));

    const [channel = 0, toTwo = 0, toThree = 0, ...others] = units;
    const [mention, star, collapsed, formerText, file] = others.map((one) => one - channel);
    expect(toThree - toTwo).toBe(1);
    const document = readFileSync("docs/moving.md", "utf8").replaceAll("\n", " ");
    const [sentence] = /A message below 1 KB .*?\./.exec(document) ?? [];
    expect(sentence).toBe(
      [
        `A message below 1 KB in a channel costs ${channel} write units, a direct one ${toTwo - 2} and one more for each participant,`,
        `a person whom a message mentions ${mention}, a star ${star}, a person who has collapsed it ${collapsed},`,
        `a former version ${formerText}, and a file ${file}.`,
      ].join(" "),
    );
  });

  /** The write units of one message of a plan, without those of who has read it. */
  async function unitsOf(plan: ImportPlan, planned: PlannedMessage): Promise<number> {
    plan.messages = () => [planned];
    const [units] = await writeAll(plan);
    return units as number;
  }

  /** Writes a plan's messages without the index for searches; returns the write units of each batch. */
  async function writeAll(plan: ImportPlan): Promise<number[]> {
    const costs: number[] = [];
    const putAll = async (writes: readonly Write[]) => {
      const { trace } = await withTrace(() => batchWrite(itemsOf(writes)));
      costs.push(trace.writeUnits);
    };
    await writeMessages(
      { plan, contexts: new RenderContexts(plan), files: storedFiles, putAll },
      newProgress("x"),
      async () => {},
      () => {},
    );
    return costs;
  }

  test("the index for searches costs the read units for each message that docs/moving.md says", async () => {
    const rows = Array.from({ length: 100 }, (_, index) =>
      message(701 + index, ids.prospero, index % 4 === 0 ? ids.toMiranda : ids.toIsland, "Hello"),
    );
    await writeAll(planOf(withMessages(rows)));
    const unitsUpTo = async (newest: number) => (await withTrace(() => indexUpTo(newest))).trace.readUnits;

    // 40 messages and 60, each time with the manifest.
    const [first, second] = [await unitsUpTo(40), await unitsUpTo(100)];
    expect(readFileSync("docs/moving.md", "utf8").replaceAll("\n", " ")).toContain(
      `The index for searches is built at the end, with ${(second - first) / 20} read unit for each message.`,
    );
  });

  test("bots have what they had stored", async () => {
    await importFrom(aFolder(theTempest(globe)));
    expect(await readBotStorage(6, undefined)).toEqual({ joke: "42" });
  });

  test("a file whose path leads out of the archive does not come, and a link that is malformed stays", async () => {
    const path_id = "2/ab/x/passwd";
    const content = `[it](/user_uploads/${path_id}) /user_uploads/%`;
    const { missingFiles } = await importFrom(
      aFolder({
        ...withMessages([message(701, ids.miranda, ids.toIsland, content)]),
        "attachment.json": { zerver_attachment: [{ id: 1, path_id, file_name: "passwd", messages: [701] }] },
        "uploads/records.json": [{ s3_path: path_id, path: "../../../../../../../../../../etc/passwd" }],
      }),
    );
    expect(missingFiles).toBe(1);
    expect((await findMessage(1))?.content).toBe(content);
  });

  test("everybody with an address gets a link to choose a password, if the operator wants that", async () => {
    const plan = planZulipImport(aFolder(theTempest(globe)), options);
    await writeImport(plan, "Milan", newProgress("x"), { resetLinksTo: "https://chat.milan.example" });

    const jobs = [...(await items())].flatMap(([key, { body }]) => (key.startsWith("OUTBOX#") ? String(body) : []));
    const addresses = jobs.map((body) => /"email":"([^"]*)"/.exec(body)?.[1]);
    expect(addresses.sort()).toEqual(["caliban@milan.example", "miranda@milan.example", "prospero@milan.example"]);
    expect(jobs[0]).toContain("https://chat.milan.example");
  });

  test("an import that dies at one call after another is continued, and leaves what an undisturbed one leaves", async () => {
    // More messages than a batch.
    const many = Array.from({ length: 560 }, (_, index) =>
      message(2000 + index, ids.miranda, ids.toIsland, `${index}`),
    );
    const folder = aFolder({
      ...theTempest(globe),
      "messages-000003.json": { zerver_message: many, zerver_usermessage: [received(ids.caliban, 2500, 0)] },
    });
    const { trace } = await withTrace(() => importFrom(folder));
    const undisturbed = await items();
    expect(trace.writeUnits / 569).toBeLessThan(5);

    for (const when of ["before", "afterwards"] as const) {
      useSeparateTable();
      for (let [nth, reached] = [1, true]; reached; nth += 7) {
        const attempt = await withFailure(nth, when, () => importFrom(folder));
        ({ reached } = attempt);
        if (!reached && attempt.error) expect(String(attempt.error)).toContain("There is an organization already");
      }
      expect(await items()).toEqual(undisturbed);
    }
  }, 600_000);
});
