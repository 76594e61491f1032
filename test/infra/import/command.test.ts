import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bareEnvironment } from "../../support/hosts/processes.ts";
import { eventually } from "../../support/waiting.ts";
import { theTempest as mattermostTempest } from "./mattermost-archive.ts";
import { moveIn } from "./moving-in.ts";
import { aFolder, theTempest } from "./slack-archive.ts";
import { aZip } from "./zip.ts";

/** Moving in, as an operator does it: a report, the import, and the first look around. */

const { dataFolder, runImport, startHost } = moveIn(
  "Milan Slack export Jan 1 2024 - Jan 3 2024.tar.gz",
  theTempest("https://files.slack.com"),
  ["--without-files"],
);

test("an export of Slack becomes an organization, and its people find everything where it belongs", async () => {
  expect(await runImport("--dry-run")).toMatch(/11 {2}messages in channels[\s\S]*Nothing has been written/);
  expect(existsSync(dataFolder)).toBe(false);

  expect(await runImport()).toContain("Milan has been imported. Start it: SKEIN_DATA=");
  await expect(runImport()).rejects.toThrow("There is an organization already");
  await expect(runImport("--dry-run")).rejects.toMatchObject({
    stdout: expect.stringContaining("Nothing has been written."),
    stderr: expect.stringContaining("There is an organization already"),
  });

  const callAs = await startHost();
  // The folder is in use now.
  await expect(runImport()).rejects.toThrow("in use by another host");

  const [asMiranda, asCaliban] = [await callAs("miranda@milan.example"), await callAs("caliban@island.example")];
  const everything = { anchor: "newest", num_before: 100, num_after: 0 };
  const { messages } = await asMiranda("GET", "/messages", { ...everything, apply_markdown: false });
  // Without those of the private channel.
  expect(messages.map(({ id }: any) => id)).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]);
  expect(messages[1]).toMatchObject({
    content: "Hello **everybody**, see [this](https://example.com/a?b=1&c=2) and `a < b` :slight_smile:",
    ...{
      sender_full_name: "Miranda",
      display_recipient: "island",
      subject: "imported from Slack",
      timestamp: 1704110460,
    },
    ...{ flags: ["read"], reactions: [{ emoji_name: "+1", user_id: 1 }, { user_id: 3 }] },
  });
  expect(messages[3]).toMatchObject({
    ...{ content: "@**Prospero|1** did", subject: "Who caused the tempest?", last_edit_timestamp: 1704110940 },
  });
  expect(messages[5].content).toBe("This island's **mine**, says @**Antonio|4**\n1. logs\n2. water");
  expect(messages[6].content).toBe(
    "As [said](/#narrow/channel/1-island/topic/Who.20caused.20the.20tempest.3F/near/4), in #**books**, @**all**",
  );
  expect(messages[11]).toMatchObject({
    ...{ type: "private", content: "> Be not afeard\n\nthe isle is full of noises" },
    display_recipient: [{ id: 1 }, { id: 2 }, { id: 3 }],
  });

  const { topics } = await asMiranda("GET", "/users/me/1/topics");
  expect(topics).toEqual([
    { name: "imported from Slack", max_id: 12 },
    { name: "Who caused the tempest?", max_id: 6 },
  ]);
  const found = await asMiranda("GET", "/messages", {
    ...{ ...everything, narrow: [{ operator: "search", operand: "comfort" }] },
  });
  expect(found.messages).toMatchObject([{ id: 11, sender_full_name: "Stephano" }]);
  const state = await asMiranda("POST", "/register", {
    fetch_event_types: ["message", "update_message_flags", "realm_user", "subscription"],
  });
  expect(state).toMatchObject({
    max_message_id: 13,
    unread_msgs: { count: 0 },
    realm_non_active_users: [{ full_name: "Antonio" }, {}, { full_name: "Stephano" }],
  });
  const { members } = await asCaliban("GET", "/users");
  expect(members.find(({ user_id }: any) => user_id === 3)).toMatchObject({ role: 600 });
  const sent = await asMiranda("POST", "/messages", {
    type: "channel",
    to: 1,
    topic: "news",
    content: "O brave new world",
  });
  expect(sent.id).toBe(14);
}, 600_000);

test("a bulk export of Mattermost, in a zip, becomes an organization with the name of its team", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-mattermost-"));
  const { "import.jsonl": lines, ...files } = mattermostTempest(Buffer.from("no picture"));
  const jsonl = (lines as object[]).map((line) => JSON.stringify(line)).join("\n");
  const archive = aZip(
    Object.entries({ "import.jsonl": jsonl, ...files }).map(([name, content]) => ({
      ...{ name, content: Buffer.from(content as string) },
    })),
  );
  const args = ["--disable-warning=ExperimentalWarning", "infra/import/import.ts", "--from", archive];
  const env = { ...bareEnvironment, TMPDIR: folder, SKEIN_DATA: join(folder, "data") };

  const { stdout } = await promisify(execFile)(process.execPath, args, { env });

  expect(stdout).toMatch(
    /9 {2}messages in channels[\s\S]*1 {2}files that were fetched[\s\S]*custom emoji whose name or picture is not allowed \(storm\)[\s\S]*Milan has been imported\./,
  );
  expect(readdirSync(folder)).toEqual(["data"]);
  rmSync(folder, { recursive: true });
}, 120_000);

test("nothing of an archive outlives the command: not when it is ended, and after a kill not the next one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-leftovers-"));
  const archive = aZip([
    { name: "users.json", content: Buffer.from("[]") },
    { name: "channels.json", content: Buffer.from("[]") },
    { name: "secrets/2024-01-01.json", content: randomBytes(60_000_000) },
  ]);
  const unpacked = () => readdirSync(folder).filter((name) => name.startsWith("skein-import-"));
  const args = ["--disable-warning=ExperimentalWarning", "infra/import/import.ts", "--dry-run"];
  const run = () =>
    spawn(process.execPath, [...args, "--from", archive, "--name", "Milan"], {
      env: { ...bareEnvironment, TMPDIR: folder },
      stdio: "ignore",
    });
  for (const [signal, left] of [
    ["SIGTERM", 0],
    ["SIGHUP", 0],
    ["SIGKILL", 1],
  ] as const) {
    const command = run();
    await eventually(async () => unpacked().length > 0);
    const ended = once(command, "exit");
    command.kill(signal);
    await ended;

    expect([signal, unpacked().length]).toEqual([signal, left]);
  }

  await once(run(), "exit");
  expect(unpacked()).toEqual([]);
  rmSync(folder, { recursive: true });
}, 120_000);

test.each([
  [{}, "No AWS region is set: set AWS_REGION to that of the deployment"],
  [{ AWS_REGION: "eu-west-1" }, "There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and"],
])(
  "beside a deployment that cannot be read, with %j, the dry run says what is missing",
  async (settings, problem) => {
    const folder = mkdtempSync(join(tmpdir(), "skein-dry-run-"));
    const outputs = join(folder, "outputs.json");
    writeFileSync(outputs, JSON.stringify({ Skein: { TableName: "skein", Url: "https://chat.milan.example" } }));
    const env = { ...bareEnvironment, HOME: folder, AWS_EC2_METADATA_DISABLED: "true", SKEIN_DEPLOYMENT: outputs };
    const archive = aFolder(theTempest("https://files.slack.com"));
    const args = [
      "--disable-warning=ExperimentalWarning",
      "infra/import/import.ts",
      "--from",
      archive,
      "--name",
      "Milan",
    ];
    const runImport = (...more: string[]) =>
      promisify(execFile)(process.execPath, [...args, ...more], { env: { ...env, ...settings } });

    const { stdout } = await runImport("--dry-run");

    expect(stdout).toContain(
      `Nothing has been written.\nIt is not known whether the import would replace an organization in the deployment. ${problem}`,
    );
    await expect(runImport()).rejects.toMatchObject({ stderr: expect.stringContaining(problem), stdout: "" });
  },
  60_000,
);
