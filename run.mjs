/**
 * Runs a program of this repository on the Node version that the fleet runs on, installing exactly what the
 * lock file names when that is missing. It is itself plain JavaScript, so that any Node from version 20.11 can start it.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = import.meta.dirname;
if (!root) {
  console.error(`Skein needs Node 20.11 or later; this is ${process.version}.`);
  process.exit(1);
}
const modules = join(root, "node_modules");
const node = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

const [program, ...args] = process.argv.slice(2);
/** One machine needs no package of developers, which are half of all: whoever only tries Skein need not wait for them. */
const withoutDevelopers = program !== undefined && resolve(program) === join(root, "infra", "local", "start.ts");

/** The packages that a lock file names, with their versions; those for other platforms may be left out. */
const packagesIn = (file) =>
  Object.entries(JSON.parse(readFileSync(file, "utf8")).packages).filter(([path]) => path !== "");

function isInstalled() {
  try {
    const installed = new Map(packagesIn(join(modules, ".package-lock.json")));
    const wanted = packagesIn(join(root, "package-lock.json"));
    return (
      existsSync(node) &&
      wanted.every(
        ([path, { version, optional, dev }]) =>
          optional || (dev && withoutDevelopers) || installed.get(path)?.version === version,
      )
    );
  } catch {
    return false;
  }
}

if (!isInstalled()) {
  console.error("Installing the dependencies that the lock file names (once) ...");
  const npm = spawnSync("npm", ["ci", "--loglevel=error", ...(withoutDevelopers ? ["--omit=dev"] : [])], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
}

/** The processes above this one up to npm, if npm runs it: perhaps a shell, and npm. */
function npmProcesses() {
  if (!process.env.npm_lifecycle_event) return [];
  const parent = process.ppid;
  try {
    // "42 (sh) S 41 ...": number, command, state, parent.
    const [, command, , grandparent] = readFileSync(`/proc/${parent}/stat`, "utf8").split(" ");
    return command === "(sh)" ? [parent, grandparent] : [parent];
  } catch {
    return [parent];
  }
}

/**
 * V8 would let the memory for young objects grow to more than 100 MB in the seconds of a start, and keep it. A program may collect
 * garbage when it is idle.
 */
const options = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--expose-gc"];

if (program) {
  const command = [node, ...options, program, ...args];
  const isWindows = process.platform === "win32";
  /** `startedBy`: the processes at whose end the program ends (infra/local/orphaned.ts). */
  const environment = (startedBy) => ({
    // Compiled modules are kept, so that a host starts in two thirds of the time.
    NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
    ...process.env,
    SKEIN_STARTED_BY: startedBy.join(" "),
    PATH: `${join(modules, "node", "bin")}${isWindows ? ";" : ":"}${process.env.PATH}`,
  });
  // A release's command keeps its folder (infra/release/skein.mjs).
  if (!process.env.SKEIN_FOLDER) process.chdir(root);
  // From Node 22.15 on, the program replaces this process, which would otherwise wait for it and keep its memory.
  if (process.execve && !isWindows) process.execve(node, command, environment(npmProcesses()));
  const child = spawn(node, command.slice(1), { stdio: "inherit", env: environment([process.pid, ...npmProcesses()]) });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}
