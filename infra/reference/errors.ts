import { relative, resolve } from "node:path";
import { build } from "esbuild";
import type { EndpointMember } from "../fleet.ts";

/** An error as some place in the code makes it. */
export interface ErrorKind {
  code: string;
  status: number;
  /** Names of what comes beside `result`, `msg` and `code`. */
  fields: string[];
}

/**
 * The errors that each endpoint can reach, by its file: those whose making is left in its bundle when all that it cannot
 * call has been shaken off. It takes about four seconds for the whole fleet.
 */
export async function errorsOf(endpoints: readonly EndpointMember[]): Promise<Map<string, ErrorKind[]>> {
  const root = resolve(import.meta.dirname, "../..");
  const { outputFiles } = await build({
    bundle: true,
    treeShaking: true,
    minifyWhitespace: true,
    platform: "node",
    target: "node24",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
    packages: "external",
    loader: { ".json": "empty" },
    write: false,
    outdir: root,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(endpoints.map(({ file }, index) => [String(index), file])),
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(root, path), text]));
  return new Map(endpoints.map(({ file }, index) => [file, errorsIn(texts.get(`${index}.mjs`) ?? "")]));
}

/** The errors that are made in a program. */
export function errorsIn(source: string): ErrorKind[] {
  return [...source.matchAll(/new ApiError\d*\(/g)].map(({ index, 0: start }) => {
    const [first = "", , options = "{}"] = partsOf(source, index + start.length - 1);
    const code = /^"(\w+)"$/.exec(first)?.[1];
    if (!code) throw new Error(`The code of an error must stand where it is made, not be computed: ${first}`);
    const fields = partsOf(options, 0).map((part) => part.split(":", 2).map((side) => side.replaceAll('"', "").trim()));
    const status = fields.find(([name]) => name === "status")?.[1];
    const names = fields.flatMap(([name = ""]) => (/^[\w-]+$/.test(name) ? name : []));
    return {
      code,
      status: Number(status ?? 400),
      fields: names.filter((name) => name !== "status" && name !== "headers"),
    };
  });
}

const closing: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** What stands between a bracket and its partner, cut at the commas that are in no inner bracket or text. */
function partsOf(source: string, open: number): string[] {
  const parts = [""];
  for (let at = open + 1; at < source.length; ) {
    const sign = source[at] as string;
    if (sign === closing[source[open] as string]) break;
    const end = endOf(source, at);
    if (sign === ",") parts.push("");
    else parts[parts.length - 1] += source.slice(at, end);
    at = end;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Where the text, the bracket or the sign that begins at `at` has ended. */
function endOf(source: string, at: number): number {
  const sign = source[at] as string;
  const isText = sign === '"' || sign === "'" || sign === "`";
  const last = isText ? sign : closing[sign];
  if (last === undefined) return at + 1;
  for (let next = at + 1; next < source.length; ) {
    if (source[next] === last) return next + 1;
    if (source[next] === "\\") next += 2;
    else if (sign === "`" && source.startsWith("${", next)) next = endOf(source, next + 1);
    else next = isText ? next + 1 : endOf(source, next);
  }
  return source.length;
}
