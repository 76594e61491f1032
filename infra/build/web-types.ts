import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { isEndpoint, loadFleet } from "../fleet.ts";
import { openapiOf } from "../reference/openapi.ts";

/** Generates the web client's API types from the OpenAPI document. */

const file = resolve(import.meta.dirname, "../../web/api/schema.ts");

const endpointsFile = resolve(import.meta.dirname, "../../web/api/endpoints.ts");

/**
 * Writes the declarations that the web client's calls are typed by: those of the API, by method and path. The file consists
 * of types, so the page contains nothing of the server.
 */
export async function writeWebEndpoints(): Promise<void> {
  const members = (await loadFleet()).filter(isEndpoint);
  const lines = members
    .filter(({ spec }) => spec.prefix === undefined && spec.returns !== "raw")
    .map(({ spec, resource, name }) => {
      const key = `${spec.method} ${spec.path}`;
      return `  "${key}": (typeof import("../../functions/${resource}/${name}.ts"))["handler"]["spec"];`;
    });
  const text = [
    "/** The declarations of the API's endpoints. Made by `npm run check`. */",
    "export interface Endpoints {",
    ...lines,
    "}",
    "",
  ].join("\n");
  if (!existsSync(endpointsFile) || readFileSync(endpointsFile, "utf8") !== text) writeFileSync(endpointsFile, text);
}

/** Regenerates the types if the document has changed. */
export async function writeWebTypes(): Promise<void> {
  const document = openapiOf((await loadFleet()).filter(isEndpoint));
  const head = `// Made by \`npm run check\` from the OpenAPI document ${createHash("sha256").update(JSON.stringify(document)).digest("hex")}.\n`;
  if (existsSync(file) && readFileSync(file, "utf8").startsWith(head)) return;
  writeFileSync(file, head + astToString(await openapiTS(document as unknown as OpenAPI3)));
}
