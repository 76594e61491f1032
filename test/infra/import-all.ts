import { createRequire, syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";

/** A program that imports the given files and prints, as JSON, what our own modules did while being imported. */

const sideEffects: string[] = [];
// The stack between an action and our module may have more frames than Node keeps by default.
Error.stackTraceLimit = 50;
const require = createRequire(import.meta.url);

// Packages may read the environment or their own data; only the project's modules are checked.
const ownModule = /\/(functions|shared)\/[^\n]*\.ts/;
const caller = () =>
  new Error().stack?.split("\n").find((line) => ownModule.test(line) && !line.includes("node_modules"));

function watch(moduleName: string, names: readonly string[]): void {
  const module = require(moduleName) as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const original = module[name]!;
    module[name] = function watched(this: unknown, ...args: unknown[]) {
      const frame = caller();
      if (frame) sideEffects.push(`${moduleName}.${name} ${frame.trim()}`);
      return original.apply(this, args);
    };
  }
}

watch("node:fs", ["readFileSync", "openSync", "open", "readFile", "createReadStream", "readdirSync", "writeFileSync"]);
watch("node:fs/promises", ["readFile", "open", "readdir", "writeFile"]);
watch("node:net", ["connect", "createConnection", "createServer"]);
watch("node:child_process", ["spawn", "exec", "execFile", "spawnSync", "execFileSync"]);
syncBuiltinESMExports();

process.env = new Proxy(process.env, {
  get(target, name) {
    const frame = caller();
    if (frame) sideEffects.push(`process.env.${String(name)} ${frame.trim()}`);
    return Reflect.get(target, name);
  },
});

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);

const handles = process.getActiveResourcesInfo().filter((name) => !["PipeWrap", "TTYWrap"].includes(name));
console.log(JSON.stringify({ sideEffects, handles }));
