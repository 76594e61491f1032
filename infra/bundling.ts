import { basename, resolve } from "node:path";
import { type BuildOptions, build, type OutputFile, type Plugin } from "esbuild";

/** How esbuild is asked to bundle: what is common to a function, a thread and what the SDK seldom loads. */

export const root = resolve(import.meta.dirname, "..");

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

/** Where outputs would lie, which are written elsewhere. */
export const nowhere = { write: false, outdir: "out", absWorkingDir: root } as const;

/** A package that starts threads of its own file and reads WebAssembly from beside it: its files go along as they are. */
export const whole = { name: "wasm-vips", entry: "vips-node.mjs", files: ["vips-node.mjs", "vips.wasm"] };

const keepWhole: Plugin = {
  name: "keep-whole",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${whole.name}$`) }, () => ({ path: `./${whole.entry}`, external: true })),
};

/**
 * What the SDK loads only where it is needed, which in Lambda it is not: other credentials than the environment's, and
 * streams of events. It is built once, apart from the functions: in their builds it would keep in what they parse at
 * their start all that it uses of the files that it shares with them.
 */
const sdkLater = new Map(
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

export const isOfSdkLater = (path: string) => path.startsWith("./sdk-");

const leaveSdkLater: Plugin = {
  name: "leave-sdk-later",
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^(${[...sdkLater.keys()].join("|")})$`) }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${sdkLater.get(path)}.mjs`, external: true } : undefined,
    ),
};

/** The files of what the SDK loads later, to lie beside a function that uses the SDK. */
export async function buildSdkLater(): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    ...buildOptions,
    ...nowhere,
    splitting: true,
    entryPoints: [...sdkLater].map(([name, out]) => ({ in: name, out })),
    chunkNames: "sdk-[hash]",
  });
  return outputFiles;
}

export const plugins = [keepWhole, leaveSdkLater];

/** Leaves out whatever is imported dynamically. */
export const startsOnly: Plugin = {
  name: "starts-only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined)),
};
