import { expect, test } from "vitest";
import { parseOrganizationFile } from "../../shared/features/bootstrap/organization-file.ts";

const owner = { email: "ada@acme.test", full_name: "Ada", role: "owner" };
const general = { name: "Acme", users: [owner], channels: [{ name: "general" }] };
const hello = { from: "ada@acme.test", sent: "-1d 09:00", content: "Hello!" };
const parse = (file: unknown) => parseOrganizationFile(JSON.stringify(file));

test("parsing fills in defaults for fields that a file omits", () => {
  const file = parse({ name: "Acme", users: [owner], channels: [{ name: "general" }] });

  expect(file).toMatchObject({ name: "Acme", string_id: "", bots: [], user_groups: [], settings: {} });
  expect(file.channels).toEqual([
    { name: "general", description: "", invite_only: false, is_web_public: false, is_default_stream: false },
  ]);
});

test.each([
  ["text that is not JSON", "{", "the file: is not valid JSON"],
  ["a missing name", { users: [owner] }, "name: "],
  ["a missing list of users", { name: "Acme" }, "users: is not a list"],
  [
    "users without an owner",
    { name: "Acme", users: [{ ...owner, role: "member" }] },
    "users: one of them must be an owner",
  ],
  ["an unknown role", { name: "Acme", users: [{ ...owner, role: "king" }] }, "users[0].role: Invalid"],
  ["an unknown field", { name: "Acme", users: [owner], colour: "red" }, "the file: "],
  [
    "a setting of the wrong kind",
    { name: "Acme", users: [owner], settings: { waiting_period_threshold: "long" } },
    "settings.waiting_period_threshold: is not an integer",
  ],
  [
    "a duplicate address",
    { name: "Acme", users: [owner, { ...owner, email: "ADA@acme.test" }] },
    "users and bots: duplicate email address ada@acme.test",
  ],
  [
    "an invalid address",
    { name: "Acme", users: [{ ...owner, email: "ada" }] },
    "users[0].email: ada is not an email address",
  ],
  [
    "the address of a system bot",
    { name: "Acme", users: [owner, { email: "Notification-Bot@zulip.com", full_name: "N" }] },
    "users and bots: Notification-Bot@zulip.com is the address of a system bot",
  ],
  [
    "a bot whose owner is not in the file",
    { name: "Acme", users: [owner], bots: [{ email: "b@acme.test", full_name: "B", owner: "eve@acme.test" }] },
    "bots[0].owner: eve@acme.test is not in this file",
  ],
  [
    "a subscriber who is not in the file",
    { name: "Acme", users: [owner], channels: [{ name: "c", subscribers: ["eve@acme.test"] }] },
    "channels[0].subscribers[0]: eve@acme.test is not in this file",
  ],
  [
    "a duplicate emoji",
    {
      name: "Acme",
      users: [owner],
      emoji: [
        { name: "Tick", file: "a.png" },
        { name: "tick", file: "b.png" },
      ],
    },
    "emoji: duplicate name tick",
  ],
  [
    "a duplicate channel",
    { name: "Acme", users: [owner], channels: [{ name: "C" }, { name: "c" }] },
    "channels: duplicate name c",
  ],
  [
    "a group whose name begins like a system group's",
    { name: "Acme", users: [owner], user_groups: [{ name: "role:kings" }] },
    "user_groups[0].name: role:kings begins with a reserved word",
  ],
  [
    "a conversation without a topic",
    { ...general, conversations: [{ channel: "general", messages: [] }] },
    "conversations[0]: needs either a channel and a topic, or between",
  ],
  [
    "a conversation in a channel that is not in the file",
    { ...general, conversations: [{ channel: "special", topic: "t", messages: [] }] },
    "conversations[0].channel: special is not in this file",
  ],
  [
    "a direct message from somebody who is not a participant",
    { ...general, conversations: [{ between: ["ada@acme.test"], messages: [{ ...hello, from: "eve@acme.test" }] }] },
    "conversations[0].messages[0].from: eve@acme.test is not in this file",
  ],
  [
    "a time in the future",
    { ...general, conversations: [{ channel: "general", topic: "t", messages: [{ ...hello, sent: "0d 09:00" }] }] },
    "conversations[0].messages[0].sent: 0d 09:00 is not of the form -3d 09:15",
  ],
])("parsing refuses %s and names the field", (_, file, message) => {
  expect(() => (typeof file === "string" ? parseOrganizationFile(file) : parse(file))).toThrow(message);
});
