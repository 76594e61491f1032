import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build, context, type Metafile, type Plugin } from "esbuild";
import { builtFiles } from "./built.ts";
import { buildOptions, buildSdkLater, isOfSdkLater, nowhere, plugins, root, startsOnly, whole } from "./bundling.ts";
import type { Member } from "./fleet.ts";

/** Where bundles are left unless somebody says otherwise. */
const dist = join(root, "dist");

export interface Folders {
  /** The folder that holds a function's `index.mjs`, ready to be zipped. */
  folderOf: (member: Member) => string;
}

export interface Bundles extends Folders {
  /** What esbuild tells of a function's own files; its entry is `index.mjs`. */
  metafileOf: (member: Member) => Metafile;
}

/**
 * Bundles each function from its sources into a self-contained folder of its own.
 *
 * Each is a build of its own, because esbuild tells apart what entry points need by whole files: built together, a
 * function would carry what its neighbours use of the files that it shares with them (S3's and SQS' clients, where any
 * of the fleet's 185 calls them), in up to a hundred small files that take longer to load than one. Splitting is on for
 * what a function imports dynamically: it is a file beside it, loaded when it is needed.
 */
export async function bundleFleet(fleet: readonly Member[], outdir: string = dist): Promise<Bundles> {
  const filesOf = builtFilesOf(fleet);
  const [sdkLater, threads] = await Promise.all([buildSdkLater(), buildThreads()]);
  const wholeFolder = dirname(createRequire(import.meta.url).resolve(whole.name));
  const { folderOf } = foldersIn(outdir);
  const metafiles = new Map<Member, Metafile>();
  rmSync(outdir, { recursive: true, force: true });
  const left = [...fleet];
  const work = async () => {
    const builder = await aBuilder();
    try {
      for (let member = left.pop(); member; member = left.pop()) {
        const { metafile, outputFiles } = await builder.build(member);
        metafiles.set(member, metafile);
        const folder = folderOf(member);
        mkdirSync(folder, { recursive: true });
        const started = threads.filter(({ startedBy }) => holds(metafile, startedBy));
        const asIs = [metafile, ...started.map((thread) => thread.metafile)].flatMap(externalsOf);
        const files = [...outputFiles, ...started.flatMap((thread) => thread.outputFiles)];
        if (asIs.some(isOfSdkLater)) files.push(...sdkLater);
        for (const { path, contents } of files) writeFileSync(join(folder, basename(path)), contents);
        for (const [name, content] of await filesOf(member)) writeFileSync(join(folder, `${name}.gz`), content);
        if (asIs.includes(`./${whole.entry}`))
          for (const file of whole.files) copyFileSync(join(wholeFolder, file), join(folder, file));
      }
    } finally {
      await builder.end();
    }
  };
  // esbuild uses all processors; of two builds one goes on while the other's files are written.
  await Promise.all([work(), work()]);
  return { folderOf, metafileOf: (member) => metafiles.get(member) as Metafile };
}

/** Folders with the functions' sources, for whoever asks for the templates alone: of a folder they have a hash. */
export async function sourceFolders(fleet: readonly Member[], outdir: string = dist): Promise<Folders> {
  const folders = foldersIn(outdir);
  rmSync(outdir, { recursive: true, force: true });
  for (const member of fleet) {
    mkdirSync(folders.folderOf(member), { recursive: true });
    copyFileSync(member.file, join(folders.folderOf(member), "index.mjs"));
  }
  return folders;
}

/** Where `bundleFleet` leaves each function, for whoever knows that it has. */
export const foldersIn = (outdir: string = dist): Folders => ({
  folderOf: ({ resource, name }) => join(outdir, resource, name),
});

const holds = ({ outputs }: Metafile, source: string) => Object.values(outputs).some(({ inputs }) => source in inputs);

const externalsOf = ({ outputs }: Metafile) =>
  Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path));

/**
 * What each function parses when it starts, told by one build of the whole fleet that could not be run: what is imported
 * dynamically is left out of it. It takes a tenth of the time of `bundleFleet`.
 */
export async function startsOf(fleet: readonly Member[]): Promise<(member: Member) => Metafile> {
  const nameOf = ({ resource, name }: Member) => `${resource}--${name}/index`;
  const { metafile } = await build({
    ...buildOptions,
    ...nowhere,
    plugins: [startsOnly, ...plugins],
    entryPoints: fleet.map((member) => ({ in: member.file, out: nameOf(member) })),
  });
  return (member) => ({
    inputs: metafile.inputs,
    outputs: Object.fromEntries(
      Object.entries(metafile.outputs).filter(([path]) => path === `${nowhere.outdir}/${nameOf(member)}.mjs`),
    ),
  });
}

/** Builds one function after the other; the sources that they share are parsed once. */
async function aBuilder() {
  let file = "";
  const entry = "skein-function";
  const chooseFunction: Plugin = {
    name: "choose-function",
    setup: ({ onResolve }) => onResolve({ filter: new RegExp(`^${entry}$`) }, () => ({ path: file })),
  };
  const { rebuild, dispose } = await context({
    ...buildOptions,
    ...nowhere,
    plugins: [chooseFunction, ...plugins],
    splitting: true,
    entryPoints: [{ in: entry, out: "index" }],
  });
  return {
    build: (member: Member) => {
      file = member.file;
      return rebuild();
    },
    end: dispose,
  };
}

/** Modules that run in a thread of their own: `x-thread.ts`, whose bundle goes into each folder that holds `x.ts`. */
function buildThreads() {
  return Promise.all(
    globSync("shared/**/*-thread.ts", { cwd: root }).map(async (file) => {
      const out = basename(file, ".ts");
      const built = await build({
        ...buildOptions,
        ...nowhere,
        plugins,
        splitting: true,
        entryPoints: [{ in: file, out }],
        chunkNames: `${out}-[hash]`,
      });
      return { ...built, startedBy: file.replace("-thread.ts", ".ts") };
    }),
  );
}

/** The files that the build makes for a member, packed. */
function builtFilesOf(fleet: readonly Member[]) {
  const fileOf = builtFiles(fleet);
  return ({ spec }: Member) =>
    Promise.all((spec.uses.built ?? []).map(async (name) => [name, await fileOf(name)] as const));
}
