import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isEndpoint, loadFleet } from "./fleet.ts";
import { limitsPage } from "./reference/creation-limits.ts";
import { eventsPage } from "./reference/integration-events.ts";
import { integrationsPage, loadIntegrations } from "./reference/integrations.ts";
import { openapiOf } from "./reference/openapi.ts";
import { regenerateParts } from "./structure/diagrams.ts";

/**
 * `npm run docs`: regenerates from the code the diagrams of docs/architecture.md, the examples of CONTRIBUTING.md,
 * docs/integrations.md, docs/integration-events.md, docs/limits.md and docs/api/openapi.json.
 */

const docs = resolve(import.meta.dirname, "../docs");
const fleet = await loadFleet();

for (const name of ["architecture.md", "../CONTRIBUTING.md"]) {
  const file = resolve(docs, name);
  writeFileSync(file, await regenerateParts(readFileSync(file, "utf8"), fleet));
}

const integrations = await loadIntegrations();
writeFileSync(resolve(docs, "integrations.md"), integrationsPage(integrations));
writeFileSync(resolve(docs, "integration-events.md"), await eventsPage(integrations));

writeFileSync(resolve(docs, "limits.md"), limitsPage());

mkdirSync(resolve(docs, "api"), { recursive: true });
const document = openapiOf(fleet.filter(isEndpoint), integrations);
writeFileSync(resolve(docs, "api/openapi.json"), `${JSON.stringify(document, null, 2)}\n`);
