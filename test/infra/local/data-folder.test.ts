import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDataFolder } from "../../../infra/local/data-folder.ts";

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-folder-"));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that claims the folder at `claimAtMs`, perhaps as somebody else; returns its output. */
async function startClaimant(
  claimAtMs: number,
  identity: { uid?: number; gid?: number } = {},
): Promise<{ child: ChildProcess; output: string }> {
  const program = join(import.meta.dirname, "..", "..", "support", "hosts", "claim-folder.ts");
  const args = ["--disable-warning=ExperimentalWarning", program, folder, String(claimAtMs)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], ...identity });
  children.push(child);
  const [line] = await once(child.stdout, "data");
  return { child, output: String(line).trim() };
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("of processes that claim a data folder concurrently one gets it, and kill -9 releases it", async () => {
  const claimAtMs = Date.now() + 3_000;
  const claimants = await Promise.all([1, 2, 3, 4].map(() => startClaimant(claimAtMs)));

  const winners = claimants.filter(({ output }) => output === "has it");
  const losers = claimants.filter(({ output }) => output.startsWith("The data folder is in use by another host"));
  expect([winners.length, losers.length]).toEqual([1, 3]);

  const { child } = winners[0] as (typeof winners)[number];
  child.kill("SIGKILL");
  await once(child, "exit");
  expect((await startClaimant(0)).output).toBe("has it");
});

test("a data folder is only readable by its owner, whether new or existing", () => {
  const newFolder = join(folder, "made");
  lockDataFolder(newFolder).release();
  expect(modeOf(newFolder)).toBe(0o700);

  chmodSync(newFolder, 0o755);
  writeFileSync(join(newFolder, "table.db"), "");
  lockDataFolder(newFolder).release();
  expect(modeOf(newFolder)).toBe(0o700);
});

test("a folder with other files that others may read is refused and not changed", () => {
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "thesis.txt"), "");

  expect(() => lockDataFolder(folder)).toThrow("contains files that are not Skein's");
  expect(modeOf(folder)).toBe(0o755);
});

test("a folder, or a file in it, that cannot be written is refused by name", async () => {
  // The superuser may write everywhere.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const refusalOf = async (path: string, mode: number) => {
    chmodSync(path, mode);
    return (await startClaimant(0, nobody)).output;
  };
  const file = join(folder, "table.sqlite");
  writeFileSync(file, "");
  if (nobody.uid) for (const path of [folder, file]) chownSync(path, nobody.uid, nobody.gid);

  expect(await refusalOf(file, 0o400)).toBe(`${file} cannot be written (EACCES).`);
  expect(await refusalOf(folder, 0o500)).toBe(`${folder} cannot be written (EACCES).`);
});
