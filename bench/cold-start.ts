import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { buildOptions } from "../infra/build/bundling.ts";
import { type FleetMember, loadFleet, pathOf } from "../infra/fleet.ts";
import { type BundleSize, bundlesIn, loadedKb, sizeOf } from "./bundle-sizes.ts";
import { startBenchHost } from "./host/bench-host.ts";
import { invoke } from "./host/invoke.ts";
import { type Section, table } from "./section.ts";

/** How a function started in a fresh process. */
export interface Start {
  importMs: number;
  /** From the end of the import to the first reply. */
  replyMs: number;
  /** Table calls up to the first reply. */
  calls: number;
}

interface ColdStart extends BundleSize, Start {
  /** Whether the bundle contains the Markdown renderer. */
  renders: boolean;
  /** Import and first reply, relative to the bare function that ran just before. */
  ratio: number;
  /** The import alone, relative to the bare function's. */
  importRatio: number;
}

/** The ratios to the bare function of the functions with, or without, the Markdown renderer. */
interface ColdGroup {
  functions: number;
  medianRatio: number;
  medianImportRatio: number;
  slowest: Pick<ColdStart, "name" | "ratio" | "calls">;
}

interface ColdFigures {
  /** The minimal function, which reads one item with the SDK. */
  bare: Omit<Start, "calls"> & { kb: number };
  plain: ColdGroup;
  renderers: ColdGroup;
  /** The functions with the highest ratios. */
  slowest: ColdStart[];
}

/** How many of the slowest functions the page shows. */
const shown = 5;

/** The time of each function from process start to its first reply, compared with one that only reads an item with the SDK. */
export const coldStart: Section<ColdFigures> = {
  name: "cold-start",
  document: "docs/speed.md",
  title: "Cold start",
  measure: async () => {
    const host = await startBenchHost();
    const folder = mkdtempSync(join(tmpdir(), "skein-cold-"));
    try {
      return await measureAll(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await host.stop();
    }
  },
  text: ({ bare, plain, renderers, slowest }) => {
    const tableCalls = (calls = 0) => `${calls} table call${calls === 1 ? "" : "s"}`;
    const ratiosOf = ({ medianRatio, medianImportRatio, slowest: { name, ratio, calls } }: ColdGroup) =>
      `a median of ${medianRatio.toFixed(2)} (${medianImportRatio.toFixed(2)} for the import alone) and a maximum of ${ratio.toFixed(2)} (${name}, with ${tableCalls(calls)})`;
    return [
      "A fresh Node 24 process imports a function's bundle and serves a first request, or, for a worker, an empty batch. It alternates with",
      `a bare function, which reads one item with the SDK's client (${Math.round(bare.kb)} KB, ${Math.round(bare.importMs + bare.replyMs)} ms here). The time for import and first reply, relative to the bare function's, has:`,
      "",
      `- for the ${plain.functions} functions without the Markdown renderer, ${ratiosOf(plain)};`,
      `- for the ${renderers.functions} functions with it, ${ratiosOf(renderers)}.`,
      "",
      "The slowest functions, with the KB of minified code that they parse at the start, by origin:",
      "",
      table(
        [...["function", "KB", "SDK", "zod", "Skein", "other"], ...["import ms", "first reply ms", "calls", "ratio"]],
        slowest.map((one) => [
          one.name,
          Math.round(loadedKb(one)),
          ...[one.parts.sdk, one.parts.zod, one.parts.skein, one.parts.markdown + one.parts.other].map((kb) =>
            Math.round(kb),
          ),
          ...[one.importMs, one.replyMs].map((ms) => Math.round(ms)),
          one.calls,
          one.ratio.toFixed(2),
        ]),
      ),
    ].join("\n");
  },
};

function groupOf(starts: readonly ColdStart[]): ColdGroup {
  const median = (figure: "ratio" | "importRatio") =>
    starts.map((start) => start[figure]).sort((a, b) => a - b)[starts.length >> 1] ?? 0;
  const { name, ratio, calls } = starts.toSorted((a, b) => b.ratio - a.ratio)[0] as ColdStart;
  return {
    functions: starts.length,
    medianRatio: median("ratio"),
    medianImportRatio: median("importRatio"),
    slowest: { name, ratio, calls },
  };
}

async function measureAll(folder: string): Promise<ColdFigures> {
  const fleet = await loadFleet();
  const { sizes, folderOf } = await bundlesIn(join(folder, "fleet"), fleet);
  const { file: bareFile, kb } = await bundleBare(join(folder, "bare"));
  const { status, body } = await invoke(undefined, {
    ...{ method: "POST", path: "/dev_fetch_api_key", params: { username: "owner@globe.test" } },
  });
  if (status !== 200) throw new Error(`Fetching the owner's API key failed: ${JSON.stringify(body)}`);
  const authorization = `Basic ${Buffer.from(`owner@globe.test:${body.api_key}`).toString("base64")}`;
  const firstReply = async (file: string, event: unknown) => {
    const args = ["--disable-warning=ExperimentalWarning", resolve(import.meta.dirname, "first-reply.mjs"), file];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, JSON.stringify(event)], {
      env: process.env,
    });
    const [start, ...logged] = stdout
      .trim()
      .split("\n")
      .reverse()
      .map((line) => JSON.parse(line));
    return { ...start, calls: logged.find(({ tableCalls }) => tableCalls !== undefined)?.tableCalls ?? 0 } as Start;
  };
  const functions: ColdStart[] = [];
  const bareStarts: Start[] = [];
  for (const [index, member] of fleet.entries()) {
    const event = eventFor(member, authorization);
    const runs: { own: Start; bare: Start }[] = [];
    // Takes the faster of two runs, to reduce noise from other load.
    for (const _ of [1, 2]) {
      const bare = await firstReply(bareFile, {});
      runs.push({ bare, own: await firstReply(join(folderOf(member), "index.mjs"), event) });
    }
    const totalMs = ({ importMs, replyMs }: Start) => importMs + replyMs;
    const fastest = (kind: "own" | "bare") =>
      runs.map((run) => run[kind]).sort((a, b) => totalMs(a) - totalMs(b))[0] as Start;
    const size = sizes[index] as BundleSize;
    bareStarts.push(fastest("bare"));
    functions.push({
      ...size,
      ...fastest("own"),
      renders: size.rendersText,
      ratio: totalMs(fastest("own")) / totalMs(fastest("bare")),
      importRatio: fastest("own").importMs / fastest("bare").importMs,
    });
  }
  const sorted = bareStarts.toSorted((a, b) => a.importMs + a.replyMs - b.importMs - b.replyMs);
  const { importMs, replyMs } = sorted[sorted.length >> 1] as Start;
  return {
    bare: { importMs, replyMs, kb },
    plain: groupOf(functions.filter(({ renders }) => !renders)),
    renderers: groupOf(functions.filter(({ renders }) => renders)),
    slowest: functions.toSorted((a, b) => b.ratio - a.ratio).slice(0, shown),
  };
}

/** The minimal function: one read with the SDK's client, bundled with the fleet's options. */
async function bundleBare(folder: string): Promise<{ file: string; kb: number }> {
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
      resolveDir: resolve(import.meta.dirname, ".."),
      sourcefile: "index.js",
    },
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const entryFile = "stdin.mjs";
  const { parts } = sizeOf(metafile, entryFile);
  return { file: join(folder, entryFile), kb: loadedKb({ parts }) };
}

function eventFor(member: FleetMember, authorization: string) {
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
