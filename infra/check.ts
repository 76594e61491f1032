import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** `npm run check`: types, lint and format of the whole repository. */

const root = resolve(import.meta.dirname, "..");
const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [resolve(root, "node_modules", program), ...args], { cwd: root, stdio: "inherit" })
    .status;

const failed = [
  run("typescript/bin/tsc", "-p", "."),
  run("@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
];
process.exit(failed.some((status) => status !== 0) ? 1 : 0);
