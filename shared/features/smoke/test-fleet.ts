import { serverUrl } from "../../base/environment.ts";
import { operator } from "./operator.ts";
import { smokeTest } from "./smoke-test.ts";

/** Runs the smoke test of the fleet that this function belongs to, without an account; throws if a check fails. */
export async function testFleet(): Promise<void> {
  const findings = await smokeTest({ url: serverUrl(), operator });
  const failures = findings.filter(({ outcome }) => outcome === "failed");
  if (failures.length > 0) throw new Error(failures.map(({ check, detail }) => `${check}: ${detail}`).join("; "));
}
