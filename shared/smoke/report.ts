import { type Finding, type SmokeOptions, smokeTest } from "./smoke-test.ts";

const labels: Record<Finding["outcome"], string> = { ok: "ok", slow: "SLOW", failed: "FAILED", skipped: "skipped" };

/** The number of characters before the detail in a line. */
const detailColumn = 41;

/** A finding as a line, followed by the advice if there is any. */
export function findingLine({ check, outcome, ms, detail, advice }: Finding): string {
  const duration = ms === undefined ? "" : `${Math.round(ms)} ms`;
  const line = `  ${labels[outcome].padEnd(9)} ${check.padEnd(17)} ${duration.padStart(9)}  ${detail}`;
  return advice ? `${line}\n${" ".repeat(detailColumn)}→ ${advice}` : line;
}

/** Runs the smoke test and prints its findings; returns 0, or 1 if a check failed, as an exit status. */
export async function runSmokeTest(options: SmokeOptions): Promise<number> {
  console.log(`Smoke test of ${options.url}`);
  const findings = await smokeTest({ ...options, report: (finding) => console.log(findingLine(finding)) });
  const failed = findings.filter(({ outcome }) => outcome === "failed").length;
  console.log(failed === 0 ? "All checks passed." : `${failed} of ${findings.length} checks failed.`);
  return failed === 0 ? 0 : 1;
}
