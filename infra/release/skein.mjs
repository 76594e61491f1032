#!/usr/bin/env node
/**
 * `npx -p ./skein-<version>.tgz skein <command>`: runs a command of this release, such as `start` or `deploy`, without a checkout. The release is
 * copied to `SKEIN_RELEASES` (by default `.skein/releases` in the home folder), where its dependencies are installed once; settings, data and
 * what is known of deployments are kept in the folder in which the command is called, so that the next release finds them.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const packed = join(import.meta.dirname, "release");
const { version, scripts } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
const build = readFileSync(join(packed, "BUILD"), "utf8").trim();
const [command, ...args] = process.argv.slice(2);
const [, program] = Object.hasOwn(scripts, command ?? "") ? /^node run\.mjs (.*)$/.exec(scripts[command]) : [];
if (!program) {
  console.error(
    `Skein ${version}. Usage: npx -p <release> skein <command>, where <command> is one of\n  ${Object.keys(scripts).join(", ")}`,
  );
  process.exit(command === undefined ? 0 : 2);
}

const releases = process.env.SKEIN_RELEASES ?? join(homedir(), ".skein", "releases");
const root = join(releases, `${version}-${build}`);
if (!existsSync(root)) {
  mkdirSync(releases, { recursive: true });
  const copy = `${root}.${process.pid}`;
  cpSync(packed, copy, { recursive: true });
  try {
    renameSync(copy, root);
  } catch (error) {
    rmSync(copy, { recursive: true });
    // Another command has copied it meanwhile.
    if (!existsSync(root)) throw error;
  }
}

const folder = process.cwd();
// Files that arguments name are in the caller's folder; CDK's own command looks for its settings where it is called.
const child = spawn(
  process.execPath,
  [join(root, "run.mjs"), ...program.split(" ").map((part) => (part.includes("/") ? join(root, part) : part)), ...args],
  { cwd: command === "cdk" ? root : folder, stdio: "inherit", env: { ...process.env, SKEIN_FOLDER: folder } },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
