import { existsSync, globSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { settingFields } from "../../../infra/aws/settings.ts";
import type { Field } from "../../../infra/config-file.ts";
import { isEndpoint, loadFleet, pathOf } from "../../../infra/fleet.ts";

/** What the documents name, commands, options, settings, variables, calls, files and fields, exists in the code. */

const read = (file: string) => readFileSync(file, "utf8");
// Decisions and past versions are not rewritten when the code changes.
const unreleased = read("CHANGELOG.md").split(/^## \[\d/m)[0] ?? "";
// Other tests compare the generated pages.
const written = globSync("docs/*.md").filter((file) => !/integration|limits/.test(file));
const pages = new Map([
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", ...written].map((file) => [file, read(file)] as const),
  ["CHANGELOG.md", unreleased] as const,
]);
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const sources = globSync("{functions,shared,infra,web,bench,test}/**/*.{ts,tsx,mjs,json,css,py}").filter(
  (file) => !file.startsWith("test/infra/documents/"),
);
const otherSources = ["run.mjs", "Dockerfile", ...globSync("infra/release/*.mjs")];

/** `find` of each page, with the page's name. */
const inPages = (pattern: RegExp): { page: string; found: string[] }[] =>
  [...pages].flatMap(([page, text]) => [...text.matchAll(pattern)].map((found) => ({ page, found: [...found] })));

test("each command exists, and CONTRIBUTING.md lists every command", () => {
  const named = inPages(/\bnpm (?:run )?(?:-s )?(start|test|run) ?|\bnpm run ([a-z][\w:-]*)/g).flatMap(
    ({ found: [, , name] }) => name ?? [],
  );
  const [, table = ""] = read("CONTRIBUTING.md").split("## Commands");
  const [, rows = ""] = /\n(\|.*?)\n\n/s.exec(table) ?? [];
  const listed = [...rows.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(?:npm (?:run )?)?([a-z][\w:-]*)/g)].map(([, name]) => name),
  );

  expect(new Set(named).difference(new Set(Object.keys(scripts)))).toEqual(new Set());
  expect(listed.sort()).toEqual(Object.keys(scripts).sort());
});

/** Options of CDK and of AWS's command line, which our commands pass on. */
const passedOn = new Set(["require-approval", "profile", "quiet", "retry", "shard"]);

test("each command takes the options with which the documents call it", () => {
  const unknown = inPages(/\bnpm run ([a-z][\w:-]*) -- ([^`\n#]*)/g).flatMap(
    ({ page, found: [, script = "", args = ""] }) => {
      const program = read((scripts[script] ?? "").split(" ").at(-1) ?? "");
      return [...args.matchAll(/(?<=^|\s)--([a-z][\w-]*)/g)].flatMap(([, option = ""]) =>
        passedOn.has(option) || new RegExp(`["']?(?:--)?\\b${option}["']?\\b`).test(program)
          ? []
          : [`${page}: npm run ${script} -- --${option}`],
      );
    },
  );

  expect(unknown).toEqual([]);
});

test("docs/operating.md lists every setting of a deployment, with its variable", () => {
  const [, section = ""] = read("docs/operating.md").split("| setting | what it does | default |");
  const [rows = ""] = section.split("\n\n");
  const firstCells = [...rows.matchAll(/^\| (.*?) \|/gm)]
    .map(([, cell = ""]) => cell)
    .filter((cell) => cell.includes("`"));
  const listed = firstCells.flatMap((cell) => [...cell.matchAll(/`([a-z]\w*)`/g)].map(([, name]) => name));
  // `samLocal` is described with `sam local`, below.
  const settings = Object.keys(settingFields).filter((name) => name !== "samLocal");

  expect([...new Set(listed)].sort()).toEqual(settings.sort());
  for (const [name, { variable }] of Object.entries<Field<unknown>>(settingFields))
    if (variable) expect(rows, `the variable of ${name}`).toContain(variable);
});

/** Variables by which one process tells another something, and those of tests and of the repository's own pages. */
const internal = /^SKEIN_(FLEET|FOLDER|SHELL|STARTED_BY|TABLE_FILE|WEB_PUBLIC_CHANNELS|MIN_\w+)$/;

test("each environment variable exists, and each one that an operator can set is documented", () => {
  const code = [...sources, ...otherSources].map(read).join("\n");
  const named = new Set([...pages.values()].join("\n").match(/\bSKEIN_[A-Z_]+\b/g));
  const ofPrograms = sources
    .filter((file) => /^(functions|shared|infra)\//.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/(?:process\.env\.|env\.|[{,] ?)(SKEIN_[A-Z_]+)\b/g)].map(([, name = ""]) => name),
    );

  const removed = new Set(["SKEIN_DYNOXIDE"]);

  expect([...named].filter((name) => !code.includes(name) && !removed.has(name))).toEqual([]);
  expect(new Set(ofPrograms.filter((name) => !internal.test(name))).difference(named)).toEqual(new Set());
});

/** Calls that Skein does not have, as the documents say. */
const otherServers = new Set(["POST /register_client_device"]);

let routes = new Set<string>();
const shapeOf = (call: string) => call.replaceAll(/\{[^}]*\}|<[^>]*>|(?<=\/)\d+(?=\/|$)/g, "{}");
beforeAll(async () => {
  const endpoints = (await loadFleet()).filter(isEndpoint);
  routes = new Set(endpoints.map(({ spec }) => shapeOf(`${spec.method} ${pathOf(spec)}`)));
});

test("each call exists", () => {
  const unknown = inPages(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w{}/<>.-]*[\w}>])/g).flatMap(
    ({ page, found: [call, method, path] }) =>
      otherServers.has(call ?? "") ||
      ["/api/v1", ""].some((prefix) => routes.has(shapeOf(`${method} ${prefix}${path}`)))
        ? []
        : [`${page}: ${call}`],
  );

  expect(unknown).toEqual([]);
});

test("each file exists", () => {
  const unknown = inPages(
    /`((?:functions|shared|infra|web|bench|test|docs|\.ci|\.github|\.vscode)\/[^`\s]*)`/g,
  ).flatMap(
    // `docs/api/` is made by `npm run docs`; X stands for any resource; a project that uses an assistant has a .vscode/mcp.json.
    ({ page, found: [, path = ""] }) =>
      /^docs\/api\/|\/X$|mcp\.json$/.test(path) || path.includes("<") || existsSync(path) || globSync(path).length > 0
        ? []
        : [`${page}: ${path}`],
  );

  expect(unknown).toEqual([]);
});

test("each page of the web client's settings exists", () => {
  const texts = new Set(
    globSync("web/**/*.{ts,tsx}").flatMap((file) => [...read(file).matchAll(/"([^"\n]+)"/g)].map(([, text]) => text)),
  );
  const named = [...pages.values()].flatMap((text) =>
    [...text.replaceAll(/\s+/g, " ").matchAll(/Settings → ([A-Z][a-z]+(?: [a-z]+)*)/g)].map(([, name]) => name),
  );

  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !texts.has(name))).toEqual([]);
});

/** Names of Postfix. */
const foreign = new Set(["transport_maps"]);

test("each name of a field, a setting, an event or a function exists", () => {
  const words = new Set(sources.flatMap((file) => read(file).match(/\w+/g) ?? []));
  const unknown = inPages(/`([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)`/g).flatMap(
    ({ page, found: [, name = ""] }) => (words.has(name) || foreign.has(name) ? [] : [`${page}: ${name}`]),
  );

  expect(unknown).toEqual([]);
});
