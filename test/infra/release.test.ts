import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/** `npm run release` on a copy of this repository with a history and a signing key of its own. */

const folder = mkdtempSync(join(tmpdir(), "skein-release-"));
const copy = join(folder, "skein");
const key = join(folder, "key");

const git = (...args: string[]) => execFileSync("git", args, { cwd: copy, encoding: "utf8" }).trim();
const read = (file: string) => readFileSync(join(copy, file), "utf8");

/** The command's output, and its exit status if it fails. */
async function release(args: string[], env: Record<string, string> = {}) {
  try {
    const options = { cwd: copy, env: { ...process.env, ...env } };
    const { stdout } = await promisify(execFile)(process.execPath, ["infra/release/release.ts", ...args], options);
    return { status: 0, text: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { status: code, text: stderr };
  }
}

beforeAll(() => {
  // What is here now, also if it is not committed.
  // In a container, a checkout may belong to another user.
  const list = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { encoding: "utf8" });
  for (const file of files.split("\0").filter((name) => name && !name.startsWith("test/")))
    cpSync(file, join(copy, file), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  const changelog = read("CHANGELOG.md").replace(
    "## [Unreleased]",
    "## [Unreleased]\n\n### Added\n\n- [A thing](docs/x.md).",
  );
  writeFileSync(join(copy, "CHANGELOG.md"), changelog);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  writeFileSync(join(folder, "signers"), `owner@globe.test ${readFileSync(`${key}.pub`, "utf8")}`);
  git("init", "--quiet", "--initial-branch=main");
  const settings = {
    "user.name": "Owner",
    "user.email": "owner@globe.test",
    "gpg.format": "ssh",
    "gpg.ssh.allowedSignersFile": join(folder, "signers"),
    "commit.gpgsign": "false",
  };
  for (const [name, value] of Object.entries(settings)) git("config", name, value);
  git("add", "--all");
  git("commit", "--quiet", "--message", "everything");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a release is refused for a wrong version, with changes that are not committed, and on another branch", async () => {
  writeFileSync(join(copy, "notes.txt"), "unfinished");
  git("switch", "--quiet", "--create", "work");

  const refused = await release(["0.0.9", "--checked"]);
  rmSync(join(copy, "notes.txt"));
  git("switch", "--quiet", "main");

  expect(refused.status).toBe(1);
  expect(refused.text).toContain("0.0.9 is not later than");
  expect(refused.text).toContain("changes that are not committed");
  expect(refused.text).toContain("on the branch main");
  expect((await release(["v9", "--checked"])).text).toContain('"v9" is not a version');
  expect(await release([])).toMatchObject({ status: 2, text: expect.stringContaining("Usage:") });
});

test("a dry run prints the release notes and changes nothing", async () => {
  const { status, text } = await release(["9.0.0", "--checked", "--dry-run"]);

  expect(status).toBe(0);
  expect(text).toContain("- [A thing](docs/x.md).");
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "--format=%s")).toBe("everything");
});

test("a release whose tag cannot be signed is completed by the next attempt, and writes what is published", async () => {
  expect((await release(["9.0.0", "--checked"], { HOME: folder })).status).toBe(1);
  expect(git("tag")).toBe("");
  git("config", "user.signingkey", key);

  const { status, text } = await release(["9.0.0", "--checked"]);

  expect(status, text).toBe(0);
  expect(git("log", "--format=%s")).toBe("release: 9.0.0\neverything");
  expect(git("status", "--porcelain")).toBe("");
  expect(() => git("tag", "--verify", "v9.0.0")).not.toThrow();
  expect(git("tag", "--list", "--format=%(contents)", "v9.0.0")).toContain("Skein 9.0.0\n\n### Added\n\n- [A thing]");
  expect(JSON.parse(read("package.json")).version).toBe("9.0.0");
  expect(JSON.parse(read("package-lock.json")).version).toBe("9.0.0");
  expect(read("CHANGELOG.md")).toMatch(/^## \[Unreleased\]\n\n## \[9\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n/m);
  expect((await release(["9.0.0", "--checked"])).text).toContain("the tag v9.0.0 exists");

  const env = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "globe/skein" };
  expect(await release(["--assets"], env)).toMatchObject({ status: 0 });

  const files = ["SHA256SUMS", "release-notes.md", "skein-9.0.0.cdx.json", "skein-9.0.0.tgz"];
  expect(readdirSync(join(copy, "dist")).sort()).toEqual(files);
  expect(read("dist/release-notes.md")).toContain("- [A thing](https://github.com/globe/skein/blob/v9.0.0/docs/x.md).");
  expect(execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(copy, "dist"), encoding: "utf8" })).toContain(
    "skein-9.0.0.tgz: OK",
  );
  const sbom = JSON.parse(read("dist/skein-9.0.0.cdx.json"));
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "skein", version: "9.0.0" } } });
  const { dependencies } = JSON.parse(read("package.json"));
  const named = new Set(sbom.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`));
  expect(Object.entries(dependencies).filter(([name, version]) => !named.has(`${name}@${version}`))).toEqual([]);
});
