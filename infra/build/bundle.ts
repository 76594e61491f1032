import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build, context, type Metafile, type Plugin } from "esbuild";
import type { ReportProgress } from "../../shared/base/progress.ts";
import { type FleetMember, isEndpoint, routesOf } from "../fleet.ts";
import { builtFiles } from "./built.ts";
import {
  buildLazyModules,
  buildOptions,
  inMemory,
  omitDynamicImports,
  plugins,
  root,
  unbundledPackage,
} from "./bundling.ts";
import { prebuildPackages } from "./prebuilt.ts";

/** The default output folder. */
const dist = join(root, "dist");

export interface Folders {
  /** The folder with a function's `index.mjs`, ready to be zipped. */
  folderOf: (member: FleetMember) => string;
}

export interface Bundles extends Folders {
  /** esbuild's metafile for a function; the entry is `index.mjs`. */
  metafileOf: (member: FleetMember) => Metafile;
}

/**
 * Bundles each function into a self-contained folder.
 *
 * Each function is a separate build, because esbuild shakes shared files only once for all entry points: in a common build
 * a function would contain whatever any of the fleet's functions uses of a shared file (such as the S3 and SQS
 * clients), in up to a hundred small chunks that load more slowly than one file. Splitting is on for dynamic imports: they
 * become files of their own, loaded when they are needed. Of the fleet, `members` are bundled.
 */
export async function bundleFleet(
  fleet: readonly FleetMember[],
  outdir: string = dist,
  report: ReportProgress = () => {},
  members: readonly FleetMember[] = fleet,
): Promise<Bundles> {
  const filesOf = builtFilesOf(fleet);
  const [lazyModules, threads, prebuilt] = await Promise.all([
    buildLazyModules(),
    buildThreads(),
    prebuildPackages(fleet.map(({ file }) => file)),
  ]);
  const packageFolder = dirname(createRequire(import.meta.url).resolve(unbundledPackage.name));
  const { folderOf } = bundleFolders(outdir);
  const metafiles = new Map<FleetMember, Metafile>();
  rmSync(outdir, { recursive: true, force: true });
  const remaining = [...members];
  const work = async () => {
    const builder = await createBuilder(prebuilt);
    try {
      for (let member = remaining.pop(); member; member = remaining.pop()) {
        const { metafile, outputFiles } = await builder.build(member);
        metafiles.set(member, metafile);
        const folder = folderOf(member);
        mkdirSync(folder, { recursive: true });
        const ownThreads = threads.filter(({ startedBy }) => includesSource(metafile, startedBy));
        const externals = [metafile, ...ownThreads.map((thread) => thread.metafile)].flatMap(externalsOf);
        const files = [
          ...outputFiles,
          ...ownThreads.flatMap((thread) => thread.outputFiles),
          ...externals.flatMap((path) => lazyModules.get(path) ?? []),
        ];
        for (const { path, contents } of files) writeFileSync(join(folder, basename(path)), contents);
        for (const [name, content] of await filesOf(member)) writeFileSync(join(folder, `${name}.gz`), content);
        if (externals.includes(`./${unbundledPackage.entry}`))
          for (const file of unbundledPackage.files) copyFileSync(join(packageFolder, file), join(folder, file));
        report(metafiles.size, members.length);
      }
    } finally {
      await builder.end();
    }
  };
  // esbuild uses all processors; two builds at a time let one continue while the other's files are written.
  await Promise.all([work(), work()]);
  return { folderOf, metafileOf: (member) => metafiles.get(member) as Metafile };
}

/** Folders with unbundled sources, for commands that only need the templates: CDK hashes the folder and deploys nothing. */
export async function placeholderFolders(fleet: readonly FleetMember[], outdir: string = dist): Promise<Folders> {
  const folders = bundleFolders(outdir);
  rmSync(outdir, { recursive: true, force: true });
  for (const member of fleet) {
    mkdirSync(folders.folderOf(member), { recursive: true });
    copyFileSync(member.file, join(folders.folderOf(member), "index.mjs"));
  }
  return folders;
}

/** The folders that `bundleFleet` writes, for callers that know that it has run. */
export const bundleFolders = (outdir: string = dist): Folders => ({
  folderOf: ({ resource, name }) => join(outdir, resource, name),
});

const includesSource = ({ outputs }: Metafile, source: string) =>
  Object.values(outputs).some(({ inputs }) => source in inputs);

const externalsOf = ({ outputs }: Metafile) =>
  Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path));

/**
 * The metafile of what each function loads at startup, from one build of the whole fleet without dynamic imports. Its output
 * cannot be run, but it takes a tenth of the time of `bundleFleet`.
 */
export async function startupMetafiles(fleet: readonly FleetMember[]): Promise<(member: FleetMember) => Metafile> {
  const nameOf = ({ resource, name }: FleetMember) => `${resource}--${name}/index`;
  const { metafile } = await build({
    ...buildOptions,
    ...inMemory,
    plugins: [omitDynamicImports, await prebuildPackages(fleet.map(({ file }) => file)), ...plugins],
    entryPoints: fleet.map((member) => ({ in: member.file, out: nameOf(member) })),
  });
  return (member) => ({
    inputs: metafile.inputs,
    outputs: Object.fromEntries(
      Object.entries(metafile.outputs).filter(([path]) => path === `${inMemory.outdir}/${nameOf(member)}.mjs`),
    ),
  });
}

/** Builds one function after another in one esbuild context, so that shared sources are parsed once. */
async function createBuilder(prebuilt: Plugin) {
  let file = "";
  const entry = "skein-function";
  const chooseFunction: Plugin = {
    name: "choose-function",
    setup: ({ onResolve }) => onResolve({ filter: new RegExp(`^${entry}$`) }, () => ({ path: file })),
  };
  const { rebuild, dispose } = await context({
    ...buildOptions,
    ...inMemory,
    plugins: [chooseFunction, prebuilt, ...plugins],
    splitting: true,
    entryPoints: [{ in: entry, out: "index" }],
  });
  return {
    build: (member: FleetMember) => {
      file = member.file;
      return rebuild();
    },
    end: dispose,
  };
}

/** Bundles worker threads: that of `x-thread.ts` is copied into the folder of each function that includes `x.ts`. */
function buildThreads() {
  return Promise.all(
    globSync("shared/**/*-thread.ts", { cwd: root }).map(async (file) => {
      const out = basename(file, ".ts");
      const built = await build({
        ...buildOptions,
        ...inMemory,
        plugins,
        splitting: true,
        entryPoints: [{ in: file, out }],
        chunkNames: `${out}-[hash]`,
      });
      return { ...built, startedBy: file.replace("-thread.ts", ".ts") };
    }),
  );
}

/** The gzipped static files that a function's `uses.built` names. */
function builtFilesOf(fleet: readonly FleetMember[]) {
  const fileOf = builtFiles(routesOf(fleet), async () => fleet.filter(isEndpoint));
  return ({ spec }: FleetMember) =>
    Promise.all((spec.uses.built ?? []).map(async (name) => [name, await fileOf(name)] as const));
}
