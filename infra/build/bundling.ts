import { basename, resolve } from "node:path";
import { type BuildOptions, build, type OutputFile, type Plugin } from "esbuild";

/** esbuild options and plugins that the bundles of functions, threads and lazily loaded SDK modules share. */

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

/**
 * SDK modules that Lambda never needs: credential providers other than the environment's, and event streams. They are built
 * once, apart from the functions: in a function's build, esbuild would move the code that they share with the function into its
 * startup chunk.
 */
const lazySdkModules = new Map(
  [
    "@aws-sdk/credential-provider-http",
    "@aws-sdk/credential-provider-ini",
    "@aws-sdk/credential-provider-process",
    "@aws-sdk/credential-provider-sso",
    "@aws-sdk/credential-provider-web-identity",
    "@smithy/core/event-streams",
    "@smithy/credential-provider-imds",
  ].map((name) => [name, `sdk-${basename(name)}`]),
);

export const isLazySdkModule = (path: string) => path.startsWith("./sdk-");

const leaveLazySdkModulesExternal: Plugin = {
  name: "leave-lazy-sdk-modules-external",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(${[...lazySdkModules.keys()].join("|")})$`) }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${lazySdkModules.get(path)}.mjs`, external: true } : undefined,
    ),
};

/** Builds the lazily loaded SDK modules, which are copied next to each function that refers to them. */
export async function buildLazySdkModules(): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    ...buildOptions,
    ...inMemory,
    splitting: true,
    entryPoints: [...lazySdkModules].map(([name, out]) => ({ in: name, out })),
    chunkNames: "sdk-[hash]",
  });
  return outputFiles;
}

export const plugins = [leavePackageUnbundled, leaveLazySdkModulesExternal];

/** Omits dynamic imports from a build, so that its metafile lists only what is loaded at startup. */
export const omitDynamicImports: Plugin = {
  name: "omit-dynamic-imports",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined)),
};
