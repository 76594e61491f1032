import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listFolder, openArchive } from "../../../shared/features/import/archive.ts";
import { aFolder } from "./slack-archive.ts";
import { aZip } from "./zip.ts";

/** A tar.gz of a folder's entries, made by the system's tar. */
function aTar(folder: string, ...args: string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), "skein-tar-")), "archive.tar.gz");
  execFileSync("tar", ["czf", path, "-C", folder, ...args]);
  return path;
}

test("a folder, a .zip and a .tar.gz have the same files, also in a folder of their own and under names beyond ASCII", async () => {
  const folder = aFolder({ "users.json": "[]", "café/2024-01-01.json": "[1]" });
  const entries = ["users.json", "café/2024-01-01.json"].map((name) => ({
    name: `Acme/${name}`,
    content: readFileSync(join(folder, name)),
  }));
  for (const path of [
    folder,
    aZip([...entries, { name: "__MACOSX/x", content: Buffer.from("x") }]),
    aTar(folder, "."),
  ]) {
    const archive = await openArchive(path);
    expect(listFolder(archive.folder)).toEqual({ folders: ["café"], files: ["users.json"] });
    expect(readFileSync(join(archive.folder, "café/2024-01-01.json"), "utf8")).toBe("[1]");
    archive.close();
    expect(existsSync(archive.folder)).toBe(path === folder);
  }
});

const zeros = Buffer.alloc(150 * 1024 * 1024);
test.each([
  ["a path out of the folder", () => [{ name: "../evil.json", content: Buffer.from("[]") }], "leads out"],
  ["an absolute path", () => [{ name: "/tmp/evil.json", content: Buffer.from("[]") }], "leads out"],
  ["a path with backslashes", () => [{ name: "..\\evil.json", content: Buffer.from("[]") }], "leads out"],
  ["a name twice", () => [1, 2].map(() => ({ name: "a.json", content: Buffer.from("[]") })), "exists twice"],
  ["a name in another encoding", () => [{ name: Buffer.from([0xe9, 0x2e]), content: Buffer.from("") }], "not UTF-8"],
  ["150 MB of zeros in 150 KB", () => [{ name: "a.json", content: zeros }], "more than 100 times its size"],
  ["the same with a false size", () => [{ name: "a.json", content: zeros, stated: 10 }], "too many bytes"],
])("a zip with %s is refused, and nothing of it remains", async (_, entries, problem) => {
  await expect(openArchive(aZip(entries()))).rejects.toThrow(problem);
  expect(existsSync("/tmp/evil.json")).toBe(false);
});

test("a tar.gz with a path out of the folder, or with 150 MB of zeros, is refused; links in it are left out", async () => {
  const folder = aFolder({ "inner/users.json": "[]", "evil.json": "[]", "zeros.json": zeros });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync("/etc/passwd", join(folder, "inner", "passwd.json"));

  await expect(openArchive(aTar(join(folder, "inner"), "-P", "../evil.json", "users.json"))).rejects.toThrow(
    "leads out",
  );
  await expect(openArchive(aTar(folder, "zeros.json"))).rejects.toThrow(/100 times its size|decompression ratio/);
  const archive = await openArchive(aTar(join(folder, "inner"), "users.json", "passwd.json"));
  expect(listFolder(archive.folder).files).toEqual(["users.json"]);
  expect(archive.links).toEqual(["passwd.json"]);
  archive.close();
  expect(listFolder(join(folder, "inner")).files).toEqual(["users.json"]);
});

test("paths that are there twice, or both a file and a folder, are refused in words", async () => {
  const folder = aFolder({ "a.json": "[]", "b/a.json": "[]" });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const content = Buffer.from("[]");

  await expect(openArchive(aTar(folder, "--hard-dereference", "a.json", "./a.json"))).rejects.toThrow(
    "./a.json exists twice in the archive",
  );
  for (const names of [
    ["a", "a/b.json"],
    ["a/b.json", "a"],
  ])
    await expect(openArchive(aZip(names.map((name) => ({ name, content }))))).rejects.toThrow(
      "a is both a file and a folder in the archive",
    );
});

test("what is no archive is refused in words", async () => {
  const folder = aFolder({ "a.zip": "no zip", "a.tar.gz": "no tar", "a.rar": "x" });

  await expect(openArchive(join(folder, "a.zip"))).rejects.toThrow("a.zip: ");
  await expect(openArchive(join(folder, "a.tar.gz"))).rejects.toThrow("a.tar.gz: ");
  await expect(openArchive(join(folder, "a.rar"))).rejects.toThrow("neither a folder nor a .zip nor a .tar.gz");
  await expect(openArchive(join(folder, "missing"))).rejects.toThrow("There is no ");
});
