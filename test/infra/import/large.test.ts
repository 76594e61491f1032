import { execFile } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "./slack-archive.ts";
import { ids, message, realm, received, status } from "./zulip-archive.ts";

const [files, messagesPerFile] = [20, 1000];
const maxHeapMb = 256;

test(`an archive with 20,000 messages in one topic, and with more JSON than memory, is read and tried out in ${maxHeapMb} MB`, async () => {
  const folder = aFolder({ "migration_status.json": status(), "attachment.json": { zerver_attachment: [] } });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeLargeRealm(join(folder, "realm.json"), 2 * maxHeapMb);
  for (let file = 0; file < files; file++) {
    const first = 1000 + file * messagesPerFile;
    const messageIds = Array.from({ length: messagesPerFile }, (_, index) => first + index);
    const content = {
      zerver_message: messageIds.map((id) => message(id, ids.miranda, ids.toIsland, `Full fathom ${id}`)),
      zerver_usermessage: messageIds.map((id) => received(ids.prospero, id, id % 2)),
    };
    writeFileSync(join(folder, `messages-${String(file + 1).padStart(6, "0")}.json`), JSON.stringify(content));
  }
  const args = ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${maxHeapMb}`];
  const program = ["infra/import/import.ts", "--from", folder, "--dry-run"];

  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...program], {
    env: { PATH: process.env.PATH, SKEIN_DATA: join(folder, "none") },
  });

  expect(stdout).toContain("20,000  messages in channels");
  expect(stdout).toMatch(/ 1 {2}topics/);
}, 600_000);

/** The tables of an organization, and one of megabytes that nothing here corresponds to. */
function writeLargeRealm(path: string, megabytes: number): void {
  const text = JSON.stringify(realm());
  const rows = `${JSON.stringify({ id: 1, text: "x".repeat(1_000_000) })},`;
  const file = openSync(path, "w");
  writeSync(file, `${text.slice(0, -1)},"zerver_unheardof":[`);
  for (let row = 0; row < megabytes; row++) writeSync(file, rows);
  writeSync(file, '{"id":2}]}');
  closeSync(file);
}
