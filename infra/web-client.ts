import { readFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type BuildOptions, build, type OutputFile } from "esbuild";
import type { BuiltArchive } from "../shared/http/built-file.ts";

/** Builds the web client: its page, and files with a content hash in their names, which browsers may cache forever. */

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "web");
/** Where the fleet serves the client's files. */
const address = "/client/";

const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
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
  publicPath: address,
  // The oldest versions that support CSS `light-dark()`.
  target: ["chrome123", "firefox120", "safari17.5"],
  loader: { ".woff2": "file", ".woff": "empty", ".ttf": "empty" },
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** The template of the account pages, which functions fill. */
export const accountPage = "page.html";

/** The client's files by name; the page is `index.html`. */
export async function buildWebClient(): Promise<BuiltArchive> {
  // A separate style sheet: formulas' styles and fonts are only loaded when a message has a formula.
  const formulas = await build({ ...options, entryPoints: { formulas: "katex/dist/katex.min.css" } });
  const main = await build({
    ...options,
    format: "esm",
    splitting: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfig: join(folder, "tsconfig.json"),
    entryPoints: { main: join(folder, "main.tsx"), app: join(folder, "styles", "app.css") },
    define: { SKEIN_FORMULA_STYLES: JSON.stringify(address + nameOf(formulas.outputFiles, /^formulas-.*\.css$/)) },
  });
  // A separate bundle for the account pages; it loads the password-strength estimator when somebody types a password.
  const pages = await build({
    ...options,
    format: "esm",
    splitting: true,
    tsconfig: join(folder, "tsconfig.json"),
    entryPoints: { pages: join(folder, "pages", "pages.ts"), "pages-style": join(folder, "styles", "pages.css") },
  });
  const built = [...formulas.outputFiles, ...main.outputFiles, ...pages.outputFiles].map(({ path, contents }) => ({
    name: basename(path),
    contents: Buffer.from(contents),
  }));
  const fixed = ["icon.svg", "manifest.webmanifest"].map((name) => ({
    name,
    contents: readFileSync(join(folder, name)),
  }));
  const page = readFileSync(join(folder, "index.html"), "utf8")
    .replace("{{script}}", nameOf(main.outputFiles, /^main-.*\.js$/))
    .replace("{{style}}", nameOf(main.outputFiles, /^app-.*\.css$/));
  const accounts = readFileSync(join(folder, "pages", "page.html"), "utf8")
    .replace("{{script}}", nameOf(pages.outputFiles, /^pages-[^s].*\.js$/))
    .replace("{{style}}", nameOf(pages.outputFiles, /^pages-style-.*\.css$/));
  const files = [
    ...built,
    ...fixed,
    { name: "index.html", contents: Buffer.from(page) },
    { name: accountPage, contents: Buffer.from(accounts) },
  ];
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ name, contents }) => {
        const zipped = await promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION });
        const type = types[extname(name)] ?? "application/octet-stream";
        return [name, { type, gzip: zipped.toString("base64") }] as const;
      }),
    ),
  );
}

function nameOf(files: readonly OutputFile[], pattern: RegExp): string {
  const found = files.map(({ path }) => basename(path)).find((name) => pattern.test(name));
  if (!found) throw new Error(`The build of the web client made no file like ${pattern}`);
  return found;
}
