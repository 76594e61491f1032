import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { writeWebEndpoints } from "./build/web-endpoints.ts";
import { unusedExports } from "./structure/exports.ts";
import { layerPrograms } from "./structure/layer-programs.ts";
import { danglingReferences, longSubjects } from "./structure/references.ts";
import { shared, sourcesIn, sourcesOf, web, wrongImports } from "./structure/rooms.ts";
import { looseValues } from "./structure/style-scale.ts";
import { wrongTabState } from "./structure/tab-state.ts";

/**
 * `npm run check`: types, also of each layer without those above it, lint and format of the whole repository, imports, what outlives a
 * session, sizes and spaces off the scale, unused exports, dangling references, length of commit subjects.
 */

const root = resolve(import.meta.dirname, "..");
const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [resolve(root, "node_modules", program), ...args], { cwd: root, stdio: "inherit" })
    .status;

/** The folders whose exports other files must use. */
const checkedFolders = ["shared", "functions", "infra", "bench", "test"];

await writeWebEndpoints();
const statuses = [
  run("typescript-native/bin/tsc", "-p", "."),
  run("typescript-native/bin/tsc", "-p", "web"),
  run("typescript-native/bin/tsc", "-p", "web/service-worker"),
  ...layerPrograms(shared).map((program) => run("typescript-native/bin/tsc", "-p", program)),
  run("@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."),
];
const problems = [
  ...wrongImports(),
  ...wrongTabState(sourcesOf(web)),
  ...looseValues(sourcesIn("web/**/*.css")),
  ...unusedExports(sourcesIn("{shared,functions,infra,bench,test,web}/**/*.{ts,tsx}"), checkedFolders),
  ...danglingReferences(),
  ...longSubjects().map((subject) => `A commit's subject is too long: ${subject}`),
];
for (const line of problems) console.error(line);
process.exit(problems.length > 0 || statuses.some((status) => status !== 0) ? 1 : 0);
