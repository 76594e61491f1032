import { basename, resolve } from "node:path";
import { type BuildOptions, build, type OutputFile, type Plugin } from "esbuild";

/** esbuild options and plugins that the bundles of functions, threads and lazily loaded modules share. */

// esbuild's process collects its garbage less often, which saves a fifth of its processor time.
process.env.GOGC ??= "400";

export const root = resolve(import.meta.dirname, "../..");

export const buildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "esm",
  // Prefers the SDK's ESM sources: the CommonJS ones, which platform "node" would choose, cannot be tree-shaken.
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  // Some CommonJS packages load Node's modules by require. The long name skeinCreateRequire cannot collide with minified names.
  banner: {
    js: "import{createRequire as skeinCreateRequire}from'node:module';const require=skeinCreateRequire(import.meta.url);",
  },
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent", "import-is-undefined": "error" },
  metafile: true,
  legalComments: "none",
} as const satisfies BuildOptions;

/** Keeps the outputs in memory; esbuild still needs an outdir for their paths. */
export const inMemory = { write: false, outdir: "out", absWorkingDir: root } as const;

/** A package that starts threads from its own file and reads WebAssembly next to it, so that its files are copied unbundled. */
export const unbundledPackage = { name: "wasm-vips", entry: "vips-node.mjs", files: ["vips-node.mjs", "vips.wasm"] };

const leavePackageUnbundled: Plugin = {
  name: "leave-package-unbundled",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${unbundledPackage.name}$`) }, () => ({
      path: `./${unbundledPackage.entry}`,
      external: true,
    })),
};

/** Modules that functions load on demand: files of their own, which are built once and copied next to the functions. */
const lazyModules = new Map([
  ["katex", { in: "katex", out: "lazy-katex" }],
  ["./highlight.ts", { in: "shared/core/markdown/highlight.ts", out: "lazy-highlight" }],
  ["zxcvbn", { in: "zxcvbn", out: "lazy-zxcvbn" }],
  ["disposable-email-domains-js", { in: "disposable-email-domains-js", out: "lazy-disposable-email-domains" }],
]);

const lazyPaths = new RegExp(`^(${[...lazyModules.keys()].join("|").replaceAll(".", "\\.")})$`);

const leaveLazyModulesExternal: Plugin = {
  name: "leave-lazy-modules-external",
  setup: ({ onResolve }) =>
    onResolve({ filter: lazyPaths }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${lazyModules.get(path)?.out}.mjs`, external: true } : undefined,
    ),
};

/** Builds the modules that functions load on demand; returns their files by the paths that functions import. */
export async function buildLazyModules(): Promise<Map<string, OutputFile>> {
  const { outputFiles } = await build({ ...buildOptions, ...inMemory, entryPoints: [...lazyModules.values()] });
  return new Map(outputFiles.map((file) => [`./${basename(file.path)}`, file]));
}

export const plugins = [leavePackageUnbundled, leaveLazyModulesExternal];

/** Omits dynamic imports from a build, so that its metafile lists only what is loaded at startup. */
export const omitDynamicImports: Plugin = {
  name: "omit-dynamic-imports",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined)),
};
