/**
 * Runs a program of this repository on the Node version that the fleet runs on, installing exactly what the
 * lock file names when that is missing. It is itself plain JavaScript, so that any Node from version 20 can start it.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const modules = join(root, "node_modules");
const stamp = join(modules, ".skein-installed");
const node = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

const installed = existsSync(node) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
if (!installed) {
  console.error("Installing the dependencies that the lock file names (once) ...");
  const npm = spawnSync("npm", ["ci", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  writeFileSync(stamp, wanted);
}

const [program, ...args] = process.argv.slice(2);
if (program) {
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", program, ...args], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${join(modules, "node", "bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}
