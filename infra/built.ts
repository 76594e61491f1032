import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { versionOf } from "../shared/http/built-file.ts";
import type { BuiltName } from "../shared/uses.ts";
import { isEndpoint, type Member } from "./fleet.ts";

/** Makes files of the fleet, gzipped, each when it is first asked for; what makes them is loaded no earlier. */
export function builtFiles(fleet: readonly Member[]): (name: BuiltName) => Promise<Uint8Array> {
  const made = new Map<BuiltName, Promise<Uint8Array>>();
  const fileOf = (name: BuiltName): Promise<Uint8Array> => {
    const file = made.get(name) ?? makers[name]().then(packed);
    made.set(name, file);
    return file;
  };
  const makers: Record<BuiltName, () => Promise<string>> = {
    "openapi.json": async () => {
      const { openapiOf } = await import("./reference/openapi.ts");
      return JSON.stringify(await openapiOf(fleet.filter(isEndpoint)));
    },
    "reference.js": async () => (await import("./reference/page.ts")).pageScript(),
    "reference.css": async () => (await import("./reference/page.ts")).pageStyle(),
    "reference.html": async () => {
      const { pageHtml } = await import("./reference/page.ts");
      const [script, style] = await Promise.all([fileOf("reference.js"), fileOf("reference.css")]);
      return pageHtml({ script: versionOf(script), style: versionOf(style) });
    },
  };
  return fileOf;
}

const packed = (text: string) => promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION });
