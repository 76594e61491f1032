import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { builtFiles } from "./built.ts";
import { type Member, routesOf } from "./fleet.ts";

export interface Bundles {
  /** The folder that holds a function's `index.mjs`, ready to be zipped. */
  folderOf: (member: Member) => string;
  metafile: Metafile;
}

/** How every bundle of the fleet is made; Lambda has no source maps to load and no package manager to ask. */
export const buildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "esm",
  // The SDK's ESM sources shake; its CommonJS ones, which platform "node" prefers, do not.
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  // Some packages are CommonJS and ask for Node's own modules by require. The name must not collide with minified ones.
  banner: {
    js: "import{createRequire as skeinCreateRequire}from'node:module';const require=skeinCreateRequire(import.meta.url);",
  },
  logLevel: "warning",
  metafile: true,
  legalComments: "none",
} as const satisfies BuildOptions;

/** A package that starts threads of its own file and reads WebAssembly from beside it: its files go along as they are. */
const whole = { name: "wasm-vips", entry: "vips-node.mjs", files: ["vips-node.mjs", "vips.wasm"] };

const keepWhole: Plugin = {
  name: "keep-whole",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${whole.name}$`) }, () => ({ path: `./${whole.entry}`, external: true })),
};

const root = resolve(import.meta.dirname, "..");

/** Modules that run in a thread of their own: `x-thread.ts`, whose bundle goes into each folder that holds `x.ts`. */
const threads = () =>
  globSync("shared/**/*-thread.ts", { cwd: root }).map((file) => ({
    file,
    name: basename(file, ".ts"),
    startedBy: file.replace("-thread.ts", ".ts"),
  }));

/**
 * Bundles the fleet with one esbuild call into one self-contained folder for each function.
 *
 * Splitting is on, and each folder gets a copy of the chunks that its function can reach. That makes dynamic imports
 * load lazily (the SDK's credential providers alone are 20 of 65 ms at cold start), and costs one parse of each source
 * for the whole fleet: a splitting build for each function takes ten times as long for the same cold start.
 */
export async function bundleFleet(fleet: readonly Member[], outdir: string = resolve(root, "dist")): Promise<Bundles> {
  const nameOf = ({ resource, name }: Member) => `${resource}--${name}`;
  const filesOf = builtFilesOf(fleet);
  const { metafile, outputFiles } = await build({
    ...buildOptions,
    plugins: [keepWhole],
    splitting: true,
    write: false,
    outdir,
    absWorkingDir: root,
    entryPoints: Object.fromEntries([
      ...fleet.map((member) => [nameOf(member), member.file]),
      ...threads().map(({ name, file }) => [name, file]),
    ]),
    define: { SKEIN_ROUTES: JSON.stringify(routesOf(fleet)) },
  });
  // All outputs lie in one folder, so that their names tell them apart and "./chunk-X.mjs" is right wherever they are copied.
  const contents = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const imports = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [
      basename(path),
      output.imports.filter(({ external }) => !external).map(({ path }) => basename(path)),
    ]),
  );
  const holds = (file: string, source: string) =>
    Object.entries(metafile.outputs).some(([path, { inputs }]) => basename(path) === file && source in inputs);
  /** Of a member: what it loads, and what the threads load that it may start. */
  const filesFor = (entry: string) => {
    const own = reachable(entry, imports);
    const started = threads().filter(({ startedBy }) => [...own].some((file) => holds(file, startedBy)));
    return new Set([...own, ...started.flatMap(({ name }) => [...reachable(`${name}.mjs`, imports)])]);
  };
  const wholeFolder = dirname(createRequire(import.meta.url).resolve(whole.name));
  const needsWhole = (file: string) =>
    Object.entries(metafile.outputs).some(
      ([path, { imports }]) =>
        basename(path) === file && imports.some(({ external, path }) => external && path === `./${whole.entry}`),
    );
  rmSync(outdir, { recursive: true, force: true });
  const folderOf = (member: Member) => join(outdir, member.resource, member.name);
  for (const member of fleet) {
    const folder = folderOf(member);
    mkdirSync(folder, { recursive: true });
    const entry = `${nameOf(member)}.mjs`;
    const files = filesFor(entry);
    for (const file of files)
      writeFileSync(join(folder, file === entry ? "index.mjs" : file), contents.get(file) ?? "");
    for (const [name, content] of await filesOf(member)) writeFileSync(join(folder, `${name}.gz`), content);
    if ([...files].some(needsWhole))
      for (const file of whole.files) copyFileSync(join(wholeFolder, file), join(folder, file));
  }
  return { folderOf, metafile };
}

/** The files that the build makes for a member, packed. */
function builtFilesOf(fleet: readonly Member[]) {
  const fileOf = builtFiles(fleet);
  return ({ spec }: Member) =>
    Promise.all((spec.uses.built ?? []).map(async (name) => [name, await fileOf(name)] as const));
}

function reachable(start: string, imports: Map<string, string[]>): Set<string> {
  const found = new Set([start]);
  for (const file of found) for (const next of imports.get(file) ?? []) found.add(next);
  return found;
}
