import { expect, test } from "vitest";
import { findingLine } from "../../shared/features/smoke/report.ts";
import { smokeTest } from "../../shared/features/smoke/smoke-test.ts";
import { exposeHost } from "../support/hosts/expose-host.ts";
import { aPerson } from "../support/world.ts";

test("the smoke test that ends a deployment passes on the deployed fleet", { timeout: 300_000 }, async () => {
  const { url, close } = await exposeHost();
  const { email, apiKey } = await aPerson("Smoker");

  const findings = await smokeTest({ url, account: { email, apiKey } });

  const failed = findings.filter(({ outcome }) => outcome === "failed");
  expect(failed.map(findingLine)).toEqual([]);
  // MiniStack has no integration of an HTTP API with SQS, so functions hold the polls of this fleet's clients.
  expect(findings).toContainEqual(expect.objectContaining({ check: "wake-up route", outcome: "skipped" }));
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(["receive", "upload", "schedule"]));
  close();
});
