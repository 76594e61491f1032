import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { folderOf, run } from "./cdk.ts";
import { check } from "./check.ts";

const root = resolve(import.meta.dirname, "..", "..");

/**
 * Thirty seconds on two processors, as long as a person who deploys should have to wait; and half of it again, which the same work takes
 * on a busy machine.
 */
const limitSeconds = 90;

/**
 * Runs the CDK app for AWS as `cdk` does, which bundles all functions and generates the templates. Throws if that takes too much
 * processor time. Returns the context with which `deploy` uses the bundles.
 */
export async function synthesize(name: string): Promise<Record<string, string>> {
  const dist = join(folderOf(name), "dist");
  const { context } = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as { context: Record<string, unknown> };
  const printed = await run("infra/app.ts", [], {
    CDK_OUTDIR: join(folderOf(name), "cdk.out"),
    CDK_CONTEXT_JSON: JSON.stringify({ ...context, dist }),
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "report-cpu.ts")).href}`,
  });
  const [measured, seconds, children] = /processor time: ([\d.]+) s, with (\d+) child/.exec(printed) ?? [];
  check(Number(children) > 0, `The time of esbuild was not measured:\n${printed}`);
  console.log(`Synthesis: ${measured}`);
  check(Number(seconds) < limitSeconds, `Synthesis takes ${seconds} s of processor time, more than ${limitSeconds}`);
  return { dist, bundled: "true" };
}
