/**
 * Runs a program of this repository on the Node version that the fleet runs on, installing exactly what the
 * lock file names when that is missing. It is itself plain JavaScript, so that any Node from version 20.11 can start it.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
if (!root) {
  console.error(`Skein needs Node 20.11 or later; this is ${process.version}.`);
  process.exit(1);
}
const modules = join(root, "node_modules");
const node = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** The packages that a lock file names, with their versions; those for other platforms may be left out. */
const packagesIn = (file) =>
  Object.entries(JSON.parse(readFileSync(file, "utf8")).packages).filter(([path]) => path !== "");

function isInstalled() {
  try {
    const installed = new Map(packagesIn(join(modules, ".package-lock.json")));
    const wanted = packagesIn(join(root, "package-lock.json"));
    return (
      existsSync(node) &&
      wanted.every(([path, { version, optional }]) => optional || installed.get(path)?.version === version)
    );
  } catch {
    return false;
  }
}

if (!isInstalled()) {
  console.error("Installing the dependencies that the lock file names (once) ...");
  const npm = spawnSync("npm", ["ci", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
}

/** The process that started this one; where that is the shell by which npm runs scripts, npm too. */
function ancestry() {
  const parent = process.ppid;
  try {
    // "42 (sh) S 41 ...": number, command, state, parent.
    const [, command, , grandparent] = readFileSync(`/proc/${parent}/stat`, "utf8").split(" ");
    return command === "(sh)" ? `${parent} ${grandparent}` : `${parent}`;
  } catch {
    return `${parent}`;
  }
}

const [program, ...args] = process.argv.slice(2);
if (program) {
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", program, ...args], {
    cwd: root,
    stdio: "inherit",
    env: {
      // Compiled modules are kept, so that a host starts in two thirds of the time.
      NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
      ...process.env,
      // By which the program knows when this process was killed.
      SKEIN_RUN_PID: String(process.pid),
      PATH: `${join(modules, "node", "bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // npm passes signals on, but a `kill -9` of npm tells nobody.
  const startedBy = ancestry();
  if (process.env.npm_lifecycle_event)
    setInterval(() => ancestry() !== startedBy && child.kill("SIGTERM"), 500).unref();
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}
