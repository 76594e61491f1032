import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { CountedCall } from "../../bench/calls.ts";
import { isEndpoint, loadFleet } from "../../infra/fleet.ts";

const root = resolve(import.meta.dirname, "../..");

/** What every example request of the bench uses, when what its endpoint needs is read early, and when it is not. */
async function countNeeds(): Promise<Record<"early" | "late", CountedCall[]>> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, ["run.mjs", "bench/needs-process.ts"], options);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** Endpoints whose requests take so many stages that one may be hidden, and why. */
const withoutGain: Readonly<Record<string, string>> = {
  "POST /streams/{stream_id}/delete_topic": "the topic's messages are deleted in several transactions",
  "POST /users": "the new person's channels, groups and welcome follow the change",
};

test("reading the needs of any endpoint early saves a stage, and costs no unit more than reading them later", async () => {
  const { early, late } = await countNeeds();
  const readEarly = (await loadFleet())
    .filter(isEndpoint)
    .filter(({ spec }) => Object.values(spec.needs ?? {}).some((need) => need.early))
    .map(({ spec }) => `${spec.method} ${spec.path}`);
  const pairs = early.map((call) => ({ call, other: late.find(({ name }) => name === call.name) as CountedCall }));
  const ofReadEarly = pairs.filter(({ call }) => readEarly.includes(call.endpoint));

  const costly = ofReadEarly.filter(({ call, other }) => call.readUnits > other.readUnits);
  const slow = ofReadEarly.filter(({ call, other }) => call.stages > other.stages);
  const faster = new Set(
    ofReadEarly.filter(({ call, other }) => call.stages < other.stages).map(({ call }) => call.endpoint),
  );
  const counted = new Set(ofReadEarly.map(({ call }) => call.endpoint));

  expect(costly.map(({ call, other }) => [call.name, call.readUnits, other.readUnits])).toEqual([]);
  expect(slow.map(({ call, other }) => [call.name, call.stages, other.stages])).toEqual([]);
  expect([...counted].filter((endpoint) => !faster.has(endpoint) && !(endpoint in withoutGain))).toEqual([]);
  expect(counted.size).toBeGreaterThan(70);
}, 600_000);
