import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { create } from "tar";
import { buildIdentity } from "../build/build-identity.ts";
import { endpointsFile } from "../build/web-endpoints.ts";
import { runProgram } from "../program.ts";

/**
 * `npm run package`: writes `dist/skein-<version>.tgz`, from which an operator deploys a release without a checkout: skein.mjs, and in the
 * folder `release` what it runs. It has sources and the lock file, from which each computer builds the same functions.
 */

const root = resolve(import.meta.dirname, "..", "..");

/** What a release has of this repository. */
const entries = [
  ...["functions", "shared", "infra", "web", "docs"],
  ...["run.mjs", "cdk.json", "package.json", "package-lock.json", ".npmrc", "organization.sample.json"],
  ...["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
];

/** What other commands make in these folders, so that the same sources give the same release. */
const made = new Set([join(root, "docs", "api"), endpointsFile]);

/** Scripts that need what a release does not have: tests, checks and what generates files of the repository. */
const ofDevelopers = /^(test|check|bench|lock|docs|pictures|package|release)\b/;

interface Manifest {
  version: string;
  license: string;
  description: string;
  scripts: Record<string, string>;
}

/** Writes the release `version` to `file`. */
export async function packRelease(file: string, version?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-package-"));
  try {
    const release = join(folder, "package", "release");
    mkdirSync(release, { recursive: true });
    for (const entry of entries)
      cpSync(join(root, entry), join(release, entry), { recursive: true, filter: (path) => !made.has(path) });
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
    manifest.version = version ?? manifest.version;
    manifest.scripts = Object.fromEntries(
      Object.entries(manifest.scripts).filter(([name]) => !ofDevelopers.test(name)),
    );
    writeJson(join(release, "package.json"), manifest);
    writeFileSync(join(release, "BUILD"), buildIdentity());
    cpSync(join(import.meta.dirname, "skein.mjs"), join(folder, "package", "skein.mjs"));
    const { description, license } = manifest;
    writeJson(join(folder, "package", "package.json"), {
      ...{ name: "skein", version: manifest.version, description, license, type: "module", bin: "skein.mjs" },
    });
    const files = readdirSync(join(folder, "package"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
    // The same sources give the same file.
    await create({ file, cwd: folder, gzip: true, portable: true, noMtime: true }, files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const writeJson = (file: string, value: unknown) => writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);

async function main(): Promise<number> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const file = join(root, "dist", `skein-${version}.tgz`);
  mkdirSync(join(root, "dist"), { recursive: true });
  await packRelease(file);
  const content = readFileSync(file);
  const checksum = createHash("sha256").update(content).digest("hex");
  console.log(
    `${(content.length / 1e6).toFixed(1)} MB; SHA-256 ${checksum}\nnpx -p ./dist/${basename(file)} skein deploy`,
  );
  return 0;
}

if (import.meta.main) await runProgram(main);
