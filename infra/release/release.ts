import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { RefusedError, runProgram } from "../program.ts";
import { findSection, withRelease } from "./changelog.ts";
import { packRelease } from "./package.ts";

/**
 * `npm run release -- <version>`: commits the version and its section of CHANGELOG.md, and signs a tag, after `npm run check` and `npm test`.
 * `--checked` skips these two; `--dry-run` changes nothing and prints the release notes. `npm run release -- --assets` writes into `dist/`
 * what belongs to the version that is checked out: the package, its SBOM, their checksums and the release notes.
 */

const root = resolve(import.meta.dirname, "..", "..");
const changelogFile = join(root, "CHANGELOG.md");
const releaseFiles = ["package.json", "package-lock.json", "CHANGELOG.md"];

const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const show = (program: string, args: string[], input?: string) =>
  execFileSync(program, args, {
    cwd: root,
    input,
    stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
  });
const currentVersion = (): string => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

/** What makes a release impossible, for the person who asked for it. */
function obstacles(version: string, isPrepared: boolean): string[] {
  const notes = findSection(readFileSync(changelogFile, "utf8"), isPrepared ? version : "Unreleased");
  const isLater = currentVersion().localeCompare(version, "en", { numeric: true }) < 0;
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`"${version}" is not a version such as 1.2.3`]),
    ...(isLater || isPrepared ? [] : [`${version} is not later than ${currentVersion()}`]),
    ...(git("status", "--porcelain") === "" ? [] : ["there are changes that are not committed"]),
    ...(git("branch", "--show-current") === "main" ? [] : ["releases are made on the branch main"]),
    ...(git("tag", "--list", `v${version}`) === "" ? [] : [`the tag v${version} exists`]),
    ...(notes ? [] : ["CHANGELOG.md says nothing about this release"]),
  ];
}

function makeRelease(version: string, { isDryRun, isChecked }: { isDryRun: boolean; isChecked: boolean }): void {
  // If an earlier attempt could not sign the tag, the commit is there and only the tag is missing.
  const isPrepared = git("log", "-1", "--format=%s") === `release: ${version}`;
  const problems = obstacles(version, isPrepared);
  if (problems.length > 0) throw new RefusedError(problems);
  if (!isChecked) {
    show("npm", ["run", "check"]);
    show("npm", ["test"]);
  }
  const changelog = readFileSync(changelogFile, "utf8");
  if (isDryRun) {
    console.log(`Release notes of ${version}:\n\n${findSection(changelog, isPrepared ? version : "Unreleased")}`);
    return;
  }
  if (!isPrepared) {
    show("npm", ["version", version, "--no-git-tag-version", "--loglevel=error"]);
    writeFileSync(changelogFile, withRelease(changelog, version, new Date().toISOString().slice(0, 10)));
    git("commit", "--quiet", "--message", `release: ${version}`, "--", ...releaseFiles);
  }
  const notes = findSection(readFileSync(changelogFile, "utf8"), version);
  // By default git would remove the headings, which begin with "#".
  show("git", ["tag", "--sign", `v${version}`, "--cleanup=whitespace", "--file=-"], `Skein ${version}\n\n${notes}\n`);
  console.log(`Push it, and the workflow "release" publishes it: git push origin main v${version}`);
}

async function writeAssets(): Promise<void> {
  const version = currentVersion();
  const notes = findSection(readFileSync(changelogFile, "utf8"), version);
  if (!notes) throw new RefusedError([`CHANGELOG.md has no section for ${version}`]);
  const folder = join(root, "dist");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const release = join(folder, `skein-${version}.tgz`);
  const sbom = join(folder, `skein-${version}.cdx.json`);
  await packRelease(release);
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64_000_000 } as const;
  writeFileSync(sbom, execFileSync("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], options));
  const checksums = [release, sbom].map(
    (file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`,
  );
  writeFileSync(join(folder, "SHA256SUMS"), checksums.join(""));
  writeFileSync(join(folder, "release-notes.md"), `${withFullLinks(notes, version)}\n`);
  console.log(`dist/ has the release ${version}:\n${checksums.join("")}`);
}

/** A page of a release on GitHub has no folder that relative links could lead from. */
function withFullLinks(notes: string, version: string): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (!server || !repository) return notes;
  return notes.replaceAll(/\]\((?![a-z]+:|#)/g, `](${server}/${repository}/blob/v${version}/`);
}

await runProgram(async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { "dry-run": { type: "boolean" }, checked: { type: "boolean" }, assets: { type: "boolean" } },
  });
  const [version] = positionals;
  if (values.assets) await writeAssets();
  else if (version) makeRelease(version, { isDryRun: values["dry-run"] === true, isChecked: values.checked === true });
  else {
    console.error("Usage: npm run release -- <version> [--dry-run] [--checked], or npm run release -- --assets");
    return 2;
  }
  return 0;
});
