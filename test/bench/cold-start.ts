import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { buildOptions } from "../../infra/bundle.ts";
import { loadFleet, type Member, pathOf } from "../../infra/fleet.ts";
import { type BundleSize, bundlesIn, loadedKb, rendersText } from "./bundle-sizes.ts";
import { invoke } from "./invoke.ts";
import { type Section, table } from "./section.ts";
import { aStage } from "./stage.ts";

export interface Start {
  importMs: number;
  replyMs: number;
}

interface Cold extends BundleSize, Start {
  renders: boolean;
  /** Of import and first reply together, to those of the bare function that ran just before. */
  ratio: number;
}

interface ColdFigures {
  bare: Start & { kb: number };
  functions: Cold[];
}

/** How long each function takes from nothing to its first reply, beside one that only reads an item with the SDK. */
export const coldStart: Section<ColdFigures> = {
  name: "cold-start",
  document: "docs/speed.md",
  title: "Cold start",
  measure: async () => {
    const stage = await aStage();
    const folder = mkdtempSync(join(tmpdir(), "skein-cold-"));
    try {
      return await measured(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await stage.stop();
    }
  },
  text: ({ bare, functions }) => {
    const worst = (some: readonly Cold[]) => some.toSorted((a, b) => b.ratio - a.ratio)[0];
    const median = (some: readonly Cold[]) =>
      some.map(({ ratio }) => ratio).sort((a, b) => a - b)[some.length >> 1] ?? 0;
    const [plain, renderers] = [
      functions.filter(({ renders }) => !renders),
      functions.filter(({ renders }) => renders),
    ];
    const said = (some: readonly Cold[]) =>
      `${median(some).toFixed(2)} times in the median, ${worst(some)?.ratio.toFixed(2)} at most (${worst(some)?.name})`;
    return [
      "Each function's bundle is imported in a fresh Node 24 process and asked for a first reply: an endpoint with the owner's",
      "credentials, so that it reads the account from the table; a worker with no jobs. Beside it, in turns, runs a bare function",
      `that reads one item with the SDK's client (${Math.round(bare.kb)} KB, ${Math.round(bare.importMs + bare.replyMs)} ms here). To import and answer, the ${plain.length} functions`,
      `that do not render text take ${said(plain)}; the ${renderers.length} that render or show Markdown ${said(renderers)}.`,
      "`KB` is what is parsed at the start, minified; `later` what is loaded when it is needed.",
      "",
      table(
        ["function", "KB", "SDK", "zod", "Markdown", "Skein", "other", "later", "import ms", "first reply ms", "ratio"],
        functions.map((one) => [
          one.name,
          Math.round(loadedKb(one)),
          ...[one.parts.sdk, one.parts.zod, one.parts.markdown, one.parts.skein, one.parts.other, one.laterKb].map(
            (kb) => Math.round(kb),
          ),
          ...[one.importMs, one.replyMs].map((ms) => Math.round(ms)),
          one.ratio.toFixed(2),
        ]),
      ),
    ].join("\n");
  },
};

async function measured(folder: string): Promise<ColdFigures> {
  const fleet = await loadFleet();
  const { sizes, folderOf } = await bundlesIn(join(folder, "fleet"), fleet);
  const bareFile = await bundleBare(join(folder, "bare"));
  const { body } = await invoke(undefined, {
    ...{ method: "POST", path: "/dev_fetch_api_key", params: { username: "owner@globe.test" } },
  });
  const authorization = `Basic ${Buffer.from(`owner@globe.test:${body.api_key}`).toString("base64")}`;
  const first = async (file: string, event: unknown) => {
    const args = ["--disable-warning=ExperimentalWarning", resolve(import.meta.dirname, "first-reply.mjs"), file];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, JSON.stringify(event)], {
      env: process.env,
    });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Start;
  };
  const functions: Cold[] = [];
  const bares: Start[] = [];
  for (const [index, member] of fleet.entries()) {
    const event = eventFor(member, authorization);
    const runs: { own: Start; bare: Start }[] = [];
    // The quicker of two: what a busy machine adds is no function's own.
    for (const _ of [1, 2]) {
      const bare = await first(bareFile, {});
      runs.push({ bare, own: await first(join(folderOf(member), "index.mjs"), event) });
    }
    const whole = ({ importMs, replyMs }: Start) => importMs + replyMs;
    const least = (of: "own" | "bare") => runs.map((run) => run[of]).sort((a, b) => whole(a) - whole(b))[0] as Start;
    const size = sizes[index] as BundleSize;
    bares.push(least("bare"));
    functions.push({
      ...size,
      ...least("own"),
      renders: rendersText(size),
      ratio: whole(least("own")) / whole(least("bare")),
    });
  }
  const sorted = bares.toSorted((a, b) => a.importMs + a.replyMs - b.importMs - b.replyMs);
  return { bare: { ...(sorted[sorted.length >> 1] as Start), kb: bareKb }, functions };
}

let bareKb = 0;

/** What anybody would write first: one read with the SDK's client, bundled as the fleet is. */
async function bundleBare(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const { outputFiles, metafile } = await build({
    ...buildOptions,
    splitting: true,
    write: false,
    outdir: folder,
    stdin: {
      contents: `import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
        let client;
        export const handler = async () => {
          client ??= new DynamoDBClient({});
          const Key = { pk: { S: "ORGANIZATION" }, sk: { S: "ORGANIZATION" } };
          const { Item } = await client.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key }));
          return { statusCode: 200, body: JSON.stringify(Item) };
        };`,
      resolveDir: resolve(import.meta.dirname, "..", ".."),
      sourcefile: "index.js",
    },
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const entry = outputFiles.find(({ path }) => !/chunk-/.test(path) && /stdin|index/.test(path))?.path ?? "";
  const outputs = Object.entries(metafile.outputs);
  const reach = new Set(outputs.filter(([, { entryPoint }]) => entryPoint).map(([path]) => path));
  for (const path of reach)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && next in metafile.outputs) reach.add(next);
  bareKb = [...reach].reduce((sum, path) => sum + (metafile.outputs[path]?.bytes ?? 0), 0) / 1000;
  return entry;
}

function eventFor(member: Member, authorization: string) {
  if (member.kind !== "endpoint" && member.kind !== "fallback") return { Records: [] };
  const path = member.kind === "endpoint" ? pathOf(member.spec) : "/nowhere";
  const method = member.kind === "endpoint" ? member.spec.method : "GET";
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { authorization, host: "127.0.0.1" },
    isBase64Encoded: false,
    requestContext: { http: { method, path, sourceIp: "127.0.0.1" }, requestId: "r", domainName: "127.0.0.1" },
  };
}
