import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { isEndpoint, loadFleet } from "../fleet.ts";
import { openapiOf } from "../reference/openapi.ts";

/** Generates the web client's API types from the OpenAPI document. */

const file = resolve(import.meta.dirname, "../../web/api/schema.ts");

/** Regenerates the types if the document has changed. */
export async function writeWebTypes(): Promise<void> {
  const document = openapiOf((await loadFleet()).filter(isEndpoint));
  const head = `// Made by \`npm run check\` from the OpenAPI document ${createHash("sha256").update(JSON.stringify(document)).digest("hex")}.\n`;
  if (existsSync(file) && readFileSync(file, "utf8").startsWith(head)) return;
  writeFileSync(file, head + astToString(await openapiTS(document as unknown as OpenAPI3)));
}
