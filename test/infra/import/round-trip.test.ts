import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { problemsOf } from "../../support/files/zulip-format.ts";
import { multipart, png } from "../../support/files.ts";
import { aPrivateHost } from "../../support/hosts/private-host.ts";
import { aChannel, aPerson } from "../../support/world.ts";
import { contentOf, differencesBetween, exportFrom } from "./archive-content.ts";
import { moveIn } from "./moving-in.ts";

/** The export of an organization is imported as another one, and that is exported: both archives say the same. */

/** More than there are events on the new host until somebody adds another one. */
const options = 30;
const option = (idx: number) => JSON.stringify({ type: "new_option", idx, option: `Place ${idx}` });

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
const celia = await aPerson("Celia");
await fill();
const first = await exportFrom((path, params) => source.do(duke.email, params ? "POST" : "GET", path, params ?? {}));
const { runImport, startHost } = moveIn("export-1.tar.gz", Object.fromEntries(first.files));

/** People, channels and messages of each kind, and messages at random. */
async function fill(): Promise<void> {
  const host = { url: source.url };
  const touchstone = await aPerson("Touchstone");
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
  const poll = { message_id: await send(arden.id, "/poll Where to?\nHither\nThither"), msg_type: "widget" };
  for (let idx = 0; idx < options; idx++)
    await celia.do("POST", "/submessage", { ...poll, content: option(idx) }, host);
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
  const before = contentOf(first);
  const counts = Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length]));
  expect(counts.zerver_message).toBeGreaterThanOrEqual(45);
  expect(counts.zerver_reaction).toBeGreaterThan(1);
  expect(counts).toMatchObject({
    ...{
      zerver_attachment: 2,
      zerver_submessage: 1 + options,
      zerver_draft: 2,
      skein_reminder: 1,
      zerver_scheduledmessage: 1,
    },
    ...{ zerver_defaultstreamgroup: 1, zerver_botconfigdata: 1, zerver_alertword: 2, zerver_savedsnippet: 1 },
    ...{ zerver_userstatus: 2, zerver_realmemoji: 2 },
  });
  expect(before.files?.filter((file) => /"(uploads|emoji)"/.test(file))).toHaveLength(4);
  expect(differencesBetween(first, second)).toEqual([]);
  const [asCelia, poll] = [await callAs(celia.email), second.tables.zerver_submessage?.[0]?.message];
  const added = await asCelia("POST", "/submessage", {
    message_id: poll,
    msg_type: "widget",
    content: option(options),
  });
  expect(added).toMatchObject({ result: "success" });
  const { submessages } = (await asCelia("GET", `/messages/${poll}`)).message;
  expect(submessages.at(-1)).toMatchObject({ content: option(options) });
}, 240_000);
