import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { integrationsPage, loadIntegrations } from "../../infra/reference/integrations.ts";

test("docs/integrations.md describes the integrations as they are declared (npm run docs)", async () => {
  const page = readFileSync(new URL("../../docs/integrations.md", import.meta.url), "utf8");

  expect(integrationsPage(await loadIntegrations())).toBe(page);
});
