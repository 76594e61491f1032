import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { importsFrom } from "../../infra/diagrams.ts";

/**
 * Imports go one way (docs, "The rooms"): what is at the foot of shared/ < store < domains < http, jobs < functions <
 * infra. Read from esbuild's metafile, where type imports are gone already.
 */

const root = resolve(import.meta.dirname, "..", "..");
let inputs: Metafile["inputs"];

beforeAll(async () => {
  inputs = await importsFrom("{functions,shared,infra}/**/*.ts");
});

const ranks = { foot: 0, store: 1, domain: 2, edge: 3, functions: 4, infra: 5, test: 6 };

function rankOf(file: string): number {
  const [room, inner, ...rest] = file.split("/");
  if (room !== "shared") return ranks[room as "functions" | "infra" | "test"] ?? ranks.infra;
  if (rest.length === 0) return ranks.foot;
  if (inner === "store") return ranks.store;
  return inner === "http" || inner === "jobs" ? ranks.edge : ranks.domain;
}

/** What looks upwards and is meant to. */
function isException(from: string, to: string): boolean {
  if (rankOf(from) !== ranks.domain) return false;
  // The vocabulary in which shapes are declared: of parameters, settings, jobs and replies alike.
  if (to === "shared/http/params.ts") return true;
  // Acts hand on work; what decides or fetches does not.
  return /^shared\/jobs\/(queues|schedules|outbox|bells)\.ts$/.test(to) && !/\/(rules|access|wire)\.ts$/.test(from);
}

const importsOf = (file: string) => inputs[file]?.imports ?? [];

const edges = () =>
  Object.keys(inputs).flatMap((from) =>
    importsOf(from)
      .filter(({ external }) => !external)
      .map(({ path }) => ({ from, to: path })),
  );

const importersOf = (packages: RegExp) =>
  Object.keys(inputs)
    .filter((file) => !file.startsWith("infra/"))
    .filter((file) => importsOf(file).some(({ path, external }) => external && packages.test(path)));

const shown = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`;

test("no room imports from a room above it", () => {
  const upwards = edges().filter(({ from, to }) => rankOf(to) > rankOf(from) && !isException(from, to));

  expect(upwards.map(shown)).toEqual([]);
  expect(edges().length).toBeGreaterThan(50);
});

test("the vocabulary that every room may use rests on nothing but the foot", () => {
  const above = importsOf("shared/http/params.ts").filter(({ path, external }) => !external && rankOf(path) > 0);

  expect(above.map(({ path }) => path)).toEqual([]);
});

test("no function imports another", () => {
  const between = edges().filter(({ from, to }) => from.startsWith("functions/") && to.startsWith("functions/"));

  expect(between.map(shown)).toEqual([]);
});

test("only the store talks to the table", () => {
  const outside = importersOf(/^@aws-sdk\/(client|lib|util)-dynamodb$/);

  expect(outside.filter((file) => !file.startsWith("shared/store/"))).toEqual([]);
  expect(outside).toContain("shared/store/table.ts");
});

test("only jobs/ talks to SQS and EventBridge Scheduler", () => {
  const outside = importersOf(/^@aws-sdk\/client-(sqs|scheduler)$/);

  expect(outside.filter((file) => !file.startsWith("shared/jobs/"))).toEqual([]);
  expect(outside).toContain("shared/jobs/schedules.ts");
});

test("functions reach AWS and middy through shared/ alone", () => {
  const outside = importersOf(/^(@aws-sdk|@smithy|@middy)\//);

  expect(outside.filter((file) => file.startsWith("functions/"))).toEqual([]);
});

test("whoever makes an AWS client lets the host observe it", () => {
  const makesOne = (file: string) => /new \w+Client\(/.test(readFileSync(resolve(root, file), "utf8"));
  const clients = importersOf(/^@aws-sdk\/client-/).filter((file) => rankOf(file) < ranks.functions && makesOne(file));
  const unobserved = clients.filter(
    (file) => !importsOf(file).some(({ path }) => /^shared\/aws(-json)?\.ts$/.test(path)),
  );

  expect(unobserved).toEqual([]);
});
