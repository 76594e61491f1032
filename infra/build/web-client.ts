import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type BuildOptions, build, type Metafile, type OutputFile } from "esbuild";
import type { Integration } from "../../shared/features/integrations/integration.ts";
import type { BuiltArchive } from "../../shared/services/http/built-file.ts";
import type { Shell } from "../../web/service-worker/caching.ts";
import type { IntegrationEntry } from "../../web/views/integrations/directory.ts";
import { emojiCategories } from "../generate/emoji-table.ts";
import { shownExamples } from "../reference/integration-examples.ts";
import { loadIntegrations } from "../reference/integrations.ts";
import { onDemandChunk } from "./on-demand-chunk.ts";

/** Builds the web client: its page, and files with a content hash in their names, which browsers may cache forever. */

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "web");
/** Where the fleet serves the client's files. */
const clientPath = "/client/";

const contentTypes: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".html": "text/html; charset=utf-8",
};

const options = {
  bundle: true,
  minify: true,
  write: false,
  outdir: join(root, "out"),
  absWorkingDir: root,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  publicPath: clientPath,
  // The oldest versions that support CSS `light-dark()` and popovers.
  target: ["chrome123", "firefox125", "safari17.5"],
  loader: { ".woff2": "file", ".woff": "empty", ".ttf": "empty" },
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** The template of the account pages, which functions fill. */
export const accountPage = "page.html";

/** The directory of incoming integrations, which the client shows. */
const integrationEntries = (integrations: readonly (readonly [string, Integration])[]) =>
  integrations.map(
    ([name, { title, summary, setUp, logo, events = [], isSigned, configuration }]): IntegrationEntry => ({
      ...{ name, title, summary, setUp, events },
      isSigned: isSigned !== undefined,
      hasTemplate: configuration?.content_template !== undefined,
      ...(logo !== undefined && { logo: logoPath(logo) }),
    }),
  );

/** The path of a logo, from simple-icons, which are in the public domain. */
function logoPath(logo: string): string {
  const svg = readFileSync(createRequire(import.meta.url).resolve(`simple-icons/icons/${logo}.svg`), "utf8");
  const [, path] = / d="([^"]+)"/.exec(svg) ?? [];
  if (path === undefined) throw new Error(`simple-icons has no path of ${logo}`);
  return path;
}

const integrationExamples = async (integrations: readonly (readonly [string, Integration])[]) =>
  Object.fromEntries(
    await Promise.all(
      integrations.map(async ([name, integration]) => [name, await shownExamples(name, integration)] as const),
    ),
  );

/** Files whose names do not change with their content. */
const fixedNames = [
  "icon.svg",
  "icon-maskable.svg",
  "icon-180.png",
  "icon-192.png",
  "icon-512.png",
  "icon-maskable-512.png",
  "manifest.webmanifest",
];

/** The client's files by name; the page is `index.html`. */
export async function buildWebClient(): Promise<BuiltArchive> {
  // A separate style sheet: formulas' styles and fonts are only loaded when a message has a formula.
  const formulas = await build({ ...options, entryPoints: { formulas: "katex/dist/katex.min.css" } });
  const integrations = await loadIntegrations();
  const main = await build({
    ...options,
    format: "esm",
    splitting: true,
    metafile: true,
    plugins: [onDemandChunk(folder, "{app,parts,views}/**/*.{ts,tsx}")],
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfig: join(folder, "tsconfig.json"),
    entryPoints: { main: join(folder, "app", "main.tsx"), app: join(folder, "app", "app.css") },
    define: {
      SKEIN_FORMULA_STYLES: JSON.stringify(clientPath + nameOf(formulas.outputFiles, /^formulas-.*\.css$/)),
      SKEIN_EMOJI_CATEGORIES: inlined(emojiCategories()),
      SKEIN_INTEGRATIONS: inlined(integrationEntries(integrations)),
      SKEIN_INTEGRATION_EXAMPLES: inlined(await integrationExamples(integrations)),
    },
  });
  // A separate bundle for the account pages; it loads the password-strength estimator when somebody types a password.
  const pages = await build({
    ...options,
    format: "esm",
    splitting: true,
    tsconfig: join(folder, "tsconfig.json"),
    entryPoints: {
      pages: join(folder, "pages", "pages.ts"),
      "pages-style": join(folder, "base", "styles", "pages.css"),
    },
  });
  const built = [...formulas.outputFiles, ...main.outputFiles, ...pages.outputFiles].map(({ path, contents }) => ({
    name: basename(path),
    contents: Buffer.from(contents),
  }));
  const fixed = fixedNames.map((name) => ({ name, contents: readFileSync(join(folder, name)) }));
  const script = nameOf(main.outputFiles, /^main-.*\.js$/);
  const imports = importedBy(script, main.metafile).map(
    (name) => `<link rel="modulepreload" href="${clientPath}${name}" />`,
  );
  const indexHtml = readFileSync(join(folder, "index.html"), "utf8")
    .replace("{{script}}", script)
    .replace("{{style}}", nameOf(main.outputFiles, /^app-.*\.css$/))
    .replace("{{imports}}", imports.join("\n    "));
  const worker = await buildServiceWorker({
    build: createHash("sha256").update(indexHtml).digest("hex").slice(0, 16),
    script: clientPath + script,
    // The whole program, including what is loaded on demand: it is small, and a page that is open during a deployment may
    // still need it.
    files: main.outputFiles.map(({ path }) => clientPath + basename(path)).sort(),
  });
  const accountPageHtml = readFileSync(join(folder, "pages", "page.html"), "utf8")
    .replace("{{script}}", nameOf(pages.outputFiles, /^pages-[^s].*\.js$/))
    .replace("{{style}}", nameOf(pages.outputFiles, /^pages-style-.*\.css$/));
  const files = [
    ...built,
    ...fixed,
    { name: "index.html", contents: Buffer.from(indexHtml) },
    { name: "service-worker.js", contents: worker },
    { name: accountPage, contents: Buffer.from(accountPageHtml) },
  ];
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ name, contents }) => {
        const zipped = await promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION });
        const type = contentTypes[extname(name)] ?? "application/octet-stream";
        return [name, { type, gzip: zipped.toString("base64") }] as const;
      }),
    ),
  );
}

/** A text of JSON: esbuild puts it where it is used, and an object into the chunk that every page loads. */
const inlined = (value: unknown) => JSON.stringify(JSON.stringify(value));

/** The service worker, with the list of files that it caches. */
async function buildServiceWorker(shell: Shell): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...options,
    format: "iife",
    tsconfig: join(folder, "service-worker", "tsconfig.json"),
    entryPoints: [join(folder, "service-worker", "service-worker.ts")],
    define: { SKEIN_SHELL: JSON.stringify(shell) },
  });
  const [worker] = outputFiles;
  if (!worker) throw new Error("The build of the service worker produced no file");
  return worker.contents;
}

/** A script's static imports, which the page preloads in parallel. */
function importedBy(script: string, { outputs }: Metafile): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    for (const imported of outputs[path]?.imports ?? []) {
      if (imported.kind !== "import-statement" || found.has(imported.path)) continue;
      found.add(imported.path);
      visit(imported.path);
    }
  };
  visit(Object.keys(outputs).find((path) => basename(path) === script) ?? "");
  return [...found].map((path) => basename(path)).sort();
}

function nameOf(files: readonly OutputFile[], pattern: RegExp): string {
  const found = files.map(({ path }) => basename(path)).find((name) => pattern.test(name));
  if (!found) throw new Error(`The build of the web client produced no file that matches ${pattern}`);
  return found;
}
