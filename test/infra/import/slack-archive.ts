import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { serialize } from "bson";

/**
 * Archives by hand, from Slack's public descriptions: https://slack.com/help/articles/220556107-How-to-read-Slack-data-exports,
 * and of users, conversations, messages, files and blocks at https://docs.slack.dev/reference.
 */

/** Writes files, given as JSON, a list of lines of JSON or text, into a new folder; returns the folder. */
export function aFolder(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-archive-"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const isLines = name.endsWith(".jsonl") && Array.isArray(content);
    writeFileSync(
      join(folder, name),
      typeof content === "string" || content instanceof Uint8Array
        ? content
        : isLines
          ? content.map((line) => `${JSON.stringify(line)}\n`).join("")
          : name.endsWith(".bson") && Array.isArray(content)
            ? Buffer.concat(content.map(bsonOf))
            : JSON.stringify(content),
    );
  }
  return folder;
}

/** A document as MongoDB writes it; of what is none, a document with it. */
function bsonOf(value: unknown): Uint8Array {
  try {
    return serialize(value as object);
  } catch {
    return serialize({ value: String(value) });
  }
}

export const prospero = {
  ...{
    id: "U0PROSPERO",
    team_id: "T0MILAN",
    name: "prospero",
    deleted: false,
    real_name: "Prospero",
    tz: "Europe/Rome",
  },
  ...{ is_admin: true, is_owner: true, is_primary_owner: true, is_restricted: false, is_bot: false },
  profile: { real_name: "Prospero", display_name: "prospero", email: "prospero@milan.example" },
};
export const miranda = {
  ...{ id: "U0MIRANDA", name: "miranda", deleted: false, real_name: "Miranda", is_bot: false },
  profile: { real_name: "Miranda", email: "miranda@milan.example" },
};
const caliban = {
  ...{ id: "U0CALIBAN", name: "caliban", deleted: false, real_name: "Caliban", is_restricted: true },
  profile: { email: "caliban@island.example" },
};
const antonio = {
  id: "U0ANTONIO",
  name: "antonio",
  deleted: true,
  real_name: "Antonio",
  profile: { email: "antonio@milan.example" },
};
const ariel = { id: "U0ARIEL", name: "ariel", real_name: "Ariel", is_bot: true, profile: { bot_id: "B0ARIEL" } };

/** The time of a message on a day of January 2024, a few minutes after noon; the day begins at noon. */
export const at = (day: number, minute: number) => `${Date.UTC(2024, 0, day, 12, minute) / 1000}.000100`;
const message = (user: string, day: number, minute: number, text: string, more: object = {}) => ({
  ...{ type: "message", user, ts: at(day, minute), text },
  ...more,
});
const permalink = (channel: string, ts: string, query = "") =>
  `https://milan.slack.com/archives/${channel}/p${ts.replace(".", "")}${query}`;

/** Everything that an export may have, in a few messages. Files are at `origin`. */
export const theTempest = (origin: string) => ({
  "users.json": [prospero, miranda, caliban, antonio, ariel],
  "channels.json": [
    {
      ...{
        id: "C0ISLAND",
        name: "island",
        created: 1700000000,
        creator: prospero.id,
        is_archived: false,
        is_general: true,
      },
      members: [prospero.id, miranda.id, caliban.id, antonio.id],
      purpose: { value: "About <#C0BOOKS|books> &amp; the *sea*" },
    },
    {
      id: "C0BOOKS",
      name: "books",
      created: 1700000000,
      creator: miranda.id,
      is_archived: true,
      members: [miranda.id],
    },
  ],
  "groups.json": [
    { id: "G0PLOT", name: "plot", created: 1700000000, creator: prospero.id, members: [prospero.id, ariel.id] },
  ],
  "mpims.json": [
    { id: "G0MPDM", name: "mpdm-prospero--miranda--caliban-1", members: [prospero.id, miranda.id, caliban.id] },
  ],
  "dms.json": [{ id: "D0PM", created: 1700000000, members: [prospero.id, miranda.id] }],
  "integration_logs.json": [],
  "island/2024-01-01.json": [
    message(miranda.id, 1, 0, "<@U0MIRANDA> has joined the channel", { subtype: "channel_join" }),
    message(
      miranda.id,
      1,
      1,
      "Hello *everybody*, see <https://example.com/a?b=1&amp;c=2|this> and `a &lt; b` :slightly_smiling_face:",
      {
        reactions: [
          { name: "+1::skin-tone-3", users: [prospero.id, caliban.id], count: 2 },
          { name: "storm", users: [prospero.id], count: 1 },
        ],
      },
    ),
    message(prospero.id, 1, 2, "Who caused the tempest?", { thread_ts: at(1, 2), reply_count: 2 }),
    message(miranda.id, 1, 3, "<@U0PROSPERO> did", { thread_ts: at(1, 2), edited: { user: miranda.id, ts: at(1, 9) } }),
    message(prospero.id, 1, 4, "The ship, as drawn", {
      files: [
        {
          ...{ id: "F0SHIP", name: "ship.txt", title: "The ship", mimetype: "text/plain", mode: "hosted", size: 4 },
          ...{ url_private: `${origin}/files-pri/T0MILAN-F0SHIP/ship.txt?t=xoxe-1` },
          permalink: "https://milan.slack.com/files/U0PROSPERO/F0SHIP/ship.txt",
        },
        { id: "F0GONE", mode: "tombstone" },
      ],
    }),
  ],
  "island/2024-01-02.json": [
    // A reply of another day, and rich text.
    message(caliban.id, 2, 0, "fallback", {
      thread_ts: at(1, 2),
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: "This island's " },
                { type: "text", text: "mine", style: { bold: true } },
                { type: "text", text: ", says " },
                { type: "user", user_id: antonio.id },
              ],
            },
            {
              type: "rich_text_list",
              style: "ordered",
              elements: [
                { type: "rich_text_section", elements: [{ type: "text", text: "logs" }] },
                { type: "rich_text_section", elements: [{ type: "text", text: "water" }] },
              ],
            },
          ],
        },
      ],
    }),
    message(
      miranda.id,
      2,
      1,
      `As <${permalink("C0ISLAND", at(1, 3), `?thread_ts=${at(1, 2)}&cid=C0ISLAND`)}|said>, in <#C0BOOKS|books>, <!channel>`,
    ),
    message(prospero.id, 2, 2, "See <https://milan.slack.com/files/U0PROSPERO/F0SHIP/ship.txt|the drawing>"),
    {
      type: "message",
      subtype: "bot_message",
      bot_id: "B0STRANGER",
      username: "Ferdinand's bot",
      ts: at(2, 3),
      text: "Beep",
    },
    {
      type: "message",
      user: "U0STEPHANO",
      ts: at(2, 4),
      text: "Here's my comfort",
      user_profile: { real_name: "Stephano" },
    },
    message(prospero.id, 2, 5, "calls the storm", { subtype: "me_message" }),
  ],
  "plot/2024-01-02.json": [message(ariel.id, 2, 0, "All hail, great master", { bot_id: "B0ARIEL" })],
  "D0PM/2024-01-01.json": [message(prospero.id, 1, 0, "The hour's now come")],
  "mpdm-prospero--miranda--caliban-1/2024-01-03.json": [
    message(caliban.id, 3, 0, "&gt; Be not afeard\nthe isle is full of noises"),
  ],
  "lost/2024-01-03.json": [message(caliban.id, 3, 0, "nobody lists this folder")],
});
