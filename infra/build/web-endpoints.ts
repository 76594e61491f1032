import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type FleetMember, isEndpoint, loadFleet } from "../fleet.ts";

export const endpointsFile = resolve(import.meta.dirname, "../../web/base/api/endpoints.ts");

/**
 * The text of a file that names the declarations by which the web client's calls are typed: those of the API, by method and
 * path. It consists of types, so that nothing of the server gets into the page.
 */
export function webEndpoints(fleet: readonly FleetMember[]): string {
  const lines = fleet
    .filter(isEndpoint)
    .filter(({ spec }) => spec.prefix === undefined && spec.returns !== "raw")
    .map(({ spec: { method, path }, resource, name }) => {
      const handler = `(typeof import("../../../functions/${resource}/${name}.ts"))["handler"]`;
      return `  "${method} ${path}": ${handler}["spec"];\n`;
    });
  return `/** Made by \`npm run check\`. */\nexport interface Endpoints {\n${lines.join("")}}\n`;
}

/** Writes the file if it has changed. */
export async function writeWebEndpoints(): Promise<void> {
  const text = webEndpoints(await loadFleet());
  if (!existsSync(endpointsFile) || readFileSync(endpointsFile, "utf8") !== text) writeFileSync(endpointsFile, text);
}
