import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isEndpoint, loadFleet } from "./fleet.ts";
import { limitsPage } from "./reference/creation-limits.ts";
import { integrationsPage, loadIntegrations } from "./reference/integrations.ts";
import { openapiOf } from "./reference/openapi.ts";
import { regenerateDiagrams } from "./structure/diagrams.ts";

/** `npm run docs`: regenerates the diagrams of docs/architecture.md, docs/integrations.md, docs/limits.md and docs/api/openapi.json from the code. */

const docs = resolve(import.meta.dirname, "../docs");
const fleet = await loadFleet();

const architecture = resolve(docs, "architecture.md");
writeFileSync(architecture, await regenerateDiagrams(readFileSync(architecture, "utf8"), fleet));

const integrations = await loadIntegrations();
writeFileSync(resolve(docs, "integrations.md"), integrationsPage(integrations));

writeFileSync(resolve(docs, "limits.md"), limitsPage());

mkdirSync(resolve(docs, "api"), { recursive: true });
const document = openapiOf(fleet.filter(isEndpoint), integrations);
writeFileSync(resolve(docs, "api/openapi.json"), `${JSON.stringify(document, null, 2)}\n`);
