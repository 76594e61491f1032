import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { userSettingShape } from "../../../shared/base/schema/user-settings.ts";
import { downloadArchive } from "../../support/files/exports.ts";
import { problemsOf } from "../../support/files/zulip-format.ts";
import { multipart, png } from "../../support/files.ts";
import { aPrivateHost } from "../../support/hosts/private-host.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson } from "../../support/world.ts";
import { moveIn } from "./moving-in.ts";

/** The export of an organization is imported as another one, and that is exported: both archives say the same. */

type Archive = Awaited<ReturnType<typeof downloadArchive>>;
type Post = (path: string, params?: Record<string, unknown>) => Promise<any>;

/** What somebody may write, with signs of Markdown and of what is translated. */
const text = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom(
      "**",
      "`",
      "~~~\n",
      "\n\n",
      "* ",
      "1. ",
      "> ",
      "|",
      "@**all**",
      "@**",
      "#**arden",

      ":heart:",
    ),
    fc.constantFrom(
      "[a](",
      ")",
      "https://example.com/#narrow/",
      "/user_uploads/1/",
      "$$",
      "<b>",
      "&amp;",
      "\\",
      "/me ",
    ),
  ),
  { minLength: 1, maxLength: 12 },
);
const anyMessage = fc.record({
  to: fc.constantFrom("channel", "direct"),
  topic: fc.stringMatching(/^[a-z✔ #*|>]{0,20}[a-z]$/u),
  parts: text.map((parts) => ["x", ...parts]),
  edit: fc.option(text.map((parts) => ["y", ...parts])),
  reacts: fc.option(fc.constantFrom("heart", "tada", "+1")),
});

const source = await aPrivateHost();
Object.assign(process.env, source.environment);
afterAll(() => source.stop());
const duke = await aPerson("Duke", { role: "owner" });
const first = await exportFrom(
  (path, params) => source.do(duke.email, params ? "POST" : "GET", path, params ?? {}),
  fill,
);
const { runImport, startHost } = moveIn("export-1.tar.gz", Object.fromEntries(first.files));

/** People, channels and messages of each kind, and messages at random. */
async function fill(): Promise<void> {
  const host = { url: source.url };
  const [celia, touchstone] = [await aPerson("Celia"), await aPerson("Touchstone")];
  const arden = await aChannel("arden", [duke, celia, touchstone], { description: "A forest" });
  const court = await aChannel("court", [celia, touchstone], { inviteOnly: true, historyPublicToSubscribers: false });
  for (const person of [duke, celia, touchstone])
    await person.do("PATCH", "/settings", { allow_private_data_export: true }, host);
  const upload = async (filename: string): Promise<string> => {
    const body = multipart([{ filename, content: png }]);
    return (await celia.do("POST", "/user_uploads", {}, { ...host, credentials: celia, ...body })).url;
  };
  const [url, verse] = [await upload("song.png"), await upload("verse.png")];
  const send = async (to: number | number[], content: string): Promise<number> => {
    const type = typeof to === "number" ? "channel" : "direct";
    return (await celia.do("POST", "/messages", { type, to, topic: "exile", content }, host)).id;
  };
  const inArden = await send(arden.id, `[song](${url}) for @**Touchstone|${touchstone.id}**`);
  await send(court.id, "between us");
  await send(arden.id, "/poll Where to?\nHither\nThither");
  await send([touchstone.id], "to him");
  await send([touchstone.id, duke.id], "to both");
  await celia.do("PATCH", `/messages/${inArden}`, { content: `[the song](${url})` }, host);
  await touchstone.do("POST", `/messages/${inArden}/reactions`, { emoji_name: "heart" }, host);
  await touchstone.do("POST", "/messages/flags", { messages: [inArden], op: "add", flag: "starred" }, host);
  const picture = multipart([{ filename: "stag.png", content: png }]);
  await duke.do("POST", "/realm/emoji/stag", {}, { ...host, credentials: duke, ...picture });
  await touchstone.do("POST", `/messages/${inArden}/reactions`, { emoji_name: "stag" }, host);
  await celia.do("POST", "/users/me/status", { status_text: "in the forest", emoji_name: "stag" }, host);
  await touchstone.do("POST", "/users/me/status", { status_text: "", emoji_name: "heart" }, host);
  await celia.do("POST", "/users/me/alert_words", { alert_words: ["exile", "the *court*"] }, host);
  await celia.do("POST", "/saved_snippets", { title: "Song", content: "Under the **greenwood** tree" }, host);
  const members = [celia.id, touchstone.id];
  const inADay = Math.floor(Date.now() / 1000) + 86_400;
  const drafts = [
    { type: "stream", to: [arden.id], topic: "exile", content: "Sweet are", timestamp: 1_700_000_000 },
    { type: "private", to: [touchstone.id], topic: "", content: "the uses", timestamp: 1_700_000_001 },
  ];
  await celia.do("POST", "/drafts", { drafts }, host);
  await celia.do(
    "POST",
    "/scheduled_messages",
    {
      ...{ type: "channel", to: arden.id, topic: "exile", scheduled_delivery_timestamp: inADay },
      content: `[the song](${url}) and [a verse](${verse})`,
    },
    host,
  );
  const reminder = { message_id: inArden, scheduled_delivery_timestamp: inADay, note: "of adversity" };
  await celia.do("POST", "/reminders", reminder, host);
  for (const { to, topic, parts, edit, reacts } of fc.sample(anyMessage, { seed: 43, numRuns: 40 })) {
    const place = { type: to === "direct" ? "direct" : "channel", to: to === "direct" ? [duke.id] : arden.id, topic };
    const { id } = await celia.do("POST", "/messages", { ...place, content: parts.join("") }, host);
    if (edit) await celia.do("PATCH", `/messages/${id}`, { content: edit.join("") }, host);
    if (reacts) await duke.do("POST", `/messages/${id}/reactions`, { emoji_name: reacts }, host);
  }
  const stream_names = [arden.name];
  await duke.do(
    "POST",
    "/default_stream_groups/create",
    { group_name: "foresters", description: "They", stream_names },
    host,
  );
  const config_data = { sheep: "two" };
  await celia.do("POST", "/bots", { full_name: "Corin", short_name: "corin", bot_type: 1, config_data }, host);
  await celia.do("PATCH", "/settings", { enter_sends: true, color_scheme: 2, email_address_visibility: 3 }, host);
  await duke.do(
    "PATCH",
    "/realm",
    { description: "A *wood*", waiting_period_threshold: 3, topics_policy: "disable_empty_topic" },
    host,
  );
  await duke.do("PATCH", "/realm/user_settings_defaults", { twenty_four_hour_time: true }, host);
  await duke.do("POST", "/user_groups/create", { name: "exiles", description: "Who left", members }, host);
}

async function exportFrom(call: Post, before: () => Promise<void> = async () => {}): Promise<Archive> {
  await before();
  const { id } = await call("/export/realm", { export_type: 2 });
  const url: string = await eventually(
    async () => (await call("/export/realm")).exports.find((one: any) => one.id === id).export_url ?? undefined,
    60,
  );
  return downloadArchive(url, new URL(url).origin);
}

/** What an archive says, with names instead of IDs. */
function contentOf({ tables, files }: Archive) {
  const rows = (table: string) => tables[table] ?? [];
  const namesIn = (table: string, column: string) => rows(table).map((row): [number, string] => [row.id, row[column]]);
  const people = new Map([
    ...namesIn("zerver_userprofile", "delivery_email"),
    ...namesIn("zerver_userprofile_crossrealm", "email"),
  ]);
  const channels = new Map(namesIn("zerver_stream", "name"));
  const groups = new Map(namesIn("zerver_namedusergroup", "name"));
  const messages = new Map(
    rows("zerver_message").map(({ id, sender, date_sent, content }) => [
      id,
      [people.get(sender), date_sent, withoutIds(content)],
    ]),
  );
  const recipients = new Map(
    rows("zerver_recipient").map(({ id, type, type_id }) => [
      id,
      type === 1
        ? people.get(type_id)
        : type === 2
          ? channels.get(type_id)
          : rows("zerver_subscription")
              .filter(({ recipient }) => recipient === id)
              .map(({ user_profile }) => people.get(user_profile))
              .sort(),
    ]),
  );
  const sorted = (list: unknown[]) => list.map((each) => JSON.stringify(each)).sort();
  return {
    people: sorted(
      rows("zerver_userprofile").map((row) => [
        ...[
          row.delivery_email,
          row.full_name,
          row.role,
          row.is_active,
          row.is_bot,
          row.bot_type,
          people.get(row.bot_owner),
        ],
        ...[row.timezone, row.date_joined],
      ]),
    ),
    channels: sorted(
      rows("zerver_stream").map((row) => [
        ...[row.name, row.description, row.invite_only, row.deactivated, row.history_public_to_subscribers],
        ...[row.topics_policy, row.message_retention_days, people.get(row.creator)],
      ]),
    ),
    subscriptions: sorted(
      rows("zerver_subscription")
        .filter(({ recipient }) => typeof recipients.get(recipient) === "string")
        .map((row) => [
          people.get(row.user_profile),
          recipients.get(row.recipient),
          row.active,
          row.is_muted,
          row.pin_to_top,
        ]),
    ),
    groups: sorted(
      rows("zerver_namedusergroup").map(({ id, name, description }) => [
        ...[name, description],
        rows("zerver_usergroupmembership")
          .filter(({ user_group }) => user_group === id)
          .map(({ user_profile }) => people.get(user_profile))
          .sort(),
        rows("zerver_groupgroupmembership")
          .filter(({ supergroup }) => supergroup === id)
          .map(({ subgroup }) => groups.get(subgroup))
          .sort(),
      ]),
    ),
    messages: rows("zerver_message").map((row) => [
      ...[...(messages.get(row.id) as unknown[]), recipients.get(row.recipient), row.subject],
      ...[row.has_attachment, row.has_image, row.has_link],
      JSON.parse(row.edit_history ?? "[]").map((edit: any) => [
        people.get(edit.user_id),
        edit.timestamp,
        withoutIds(edit.prev_content),
      ]),
    ]),
    flags: sorted(
      rows("zerver_usermessage").map((row) => [
        people.get(row.user_profile),
        messages.get(row.message),
        row.flags_mask,
      ]),
    ),
    reactions: sorted(
      rows("zerver_reaction").map((row) => [people.get(row.user_profile), messages.get(row.message), row.emoji_code]),
    ),
    widgets: sorted(
      rows("zerver_submessage").map((row) => [people.get(row.sender), messages.get(row.message), row.content]),
    ),
    settings: sorted(
      [...rows("zerver_userprofile"), ...rows("zerver_realmuserdefault")].map((row) => [
        row.delivery_email,
        ...Object.keys(userSettingShape).map((name) => [name, row[name]]),
      ]),
    ),
    organization: sorted(
      rows("zerver_realm").flatMap((row) =>
        Object.entries(row).map(([name, value]) =>
          /(_group|_groups|_channel|_stream|_id|^id)$/.test(name)
            ? [name, groups.get(value) ?? channels.get(value)]
            : [name, value],
        ),
      ),
    ),
    drafts: sorted(
      rows("zerver_draft").map((row) => [
        ...[people.get(row.user_profile), recipients.get(row.recipient), row.topic, row.content, row.last_edit_time],
      ]),
    ),
    reminders: sorted(
      rows("skein_reminder").map((row) => [
        ...[people.get(row.user_profile), messages.get(row.message), row.scheduled_timestamp],
        withoutIds(row.content).replace(/@\d+\*\*/, "**"),
      ]),
    ),
    defaultGroups: sorted(
      rows("zerver_defaultstreamgroup").map((row) => [
        ...[row.name, row.description, row.streams.map((id: number) => channels.get(id))],
      ]),
    ),
    scheduled: sorted(
      rows("zerver_scheduledmessage").map((row) => [
        ...[people.get(row.sender), recipients.get(row.recipient), row.subject, withoutIds(row.content)],
        ...[row.scheduled_timestamp, row.has_attachment, row.failed],
      ]),
    ),
    alertWords: sorted(rows("zerver_alertword").map((row) => [people.get(row.user_profile), row.word])),
    snippets: sorted(rows("zerver_savedsnippet").map((row) => [people.get(row.user_profile), row.title, row.content])),
    statuses: sorted(
      rows("zerver_userstatus").map((row) => [people.get(row.user_profile), row.status_text, row.emoji_name]),
    ),
    emoji: sorted(rows("zerver_realmemoji").map((row) => [row.name, people.get(row.author), row.deactivated])),
    pictures: sorted(
      [...files].flatMap(([path, content]) =>
        /^(?:uploads|emoji)\/.*\.png$/.test(path) ? [[path.split("/")[0], content.equals(png)]] : [],
      ),
    ),
    botConfigurations: sorted(
      rows("zerver_botconfigdata").map((row) => [people.get(row.bot_profile), row.key, row.value]),
    ),
    attachments: sorted(
      rows("zerver_attachment").map((row) => [
        ...[people.get(row.owner), row.file_name, row.size, row.content_type],
        row.messages.map((id: number) => messages.get(id)),
        row.scheduled_messages.map(
          (id: number) => rows("zerver_scheduledmessage").find((one) => one.id === id)?.subject,
        ),
      ]),
    ),
  };
}

/** Mentions and files have new IDs. */
const withoutIds = (content = "") =>
  content.replace(/\|\d+\*\*/g, "**").replace(/\/user_uploads\/1\/[^)\s]*\//g, "/user_uploads/");

test("an organization that is exported, imported and exported again is the same", async () => {
  const said = await runImport();
  expect(said).toContain("has been imported");
  expect(said).not.toMatch(/^.*(?:not as Zulip writes|not possible here).*$/m);
  const callAs = await startHost();
  for (const { delivery_email, allow_private_data_export } of first.tables.zerver_userprofile ?? [])
    if (allow_private_data_export)
      await (await callAs(delivery_email))("PATCH", "/settings", { allow_private_data_export: true });
  const asDuke = await callAs(duke.email);

  const second = await exportFrom((path, params) => asDuke(params ? "POST" : "GET", path, params ?? {}));

  expect(problemsOf(first.tables)).toEqual([]);
  expect(problemsOf(second.tables)).toEqual([]);
  const [before, after] = [contentOf(first), contentOf(second)];
  expect(before.messages.length).toBeGreaterThanOrEqual(45);
  expect(before.reactions.length).toBeGreaterThan(1);
  expect([before.attachments.length, before.widgets.length]).toEqual([2, 1]);
  expect([before.drafts.length, before.reminders.length, before.scheduled.length]).toEqual([2, 1, 1]);
  expect([before.defaultGroups.length, before.botConfigurations.length]).toEqual([1, 1]);
  expect([before.alertWords.length, before.snippets.length, before.statuses.length]).toEqual([2, 1, 2]);
  expect([before.emoji.length, before.pictures.length]).toEqual([2, 4]);
  for (const part of Object.keys(before) as (keyof typeof before)[])
    expect({ [part]: after[part] }).toEqual({ [part]: before[part] });
}, 240_000);
