import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzipSync, gzip } from "node:zlib";
import type { BuiltName } from "../../shared/base/uses.ts";
import { type BuiltArchive, versionOf } from "../../shared/services/http/built-file.ts";
import type { Route } from "../../shared/services/http/fallback.ts";
import type { EndpointMember } from "../fleet.ts";

/** Generates the fleet's static files, gzipped, each on first use; the code that generates one is imported only then. */
export function builtFiles(
  routes: readonly Route[],
  endpoints: () => Promise<readonly EndpointMember[]>,
): (name: BuiltName) => Promise<Uint8Array> {
  const files = new Map<BuiltName, Promise<Uint8Array>>();
  const fileOf = (name: BuiltName): Promise<Uint8Array> => {
    const file = files.get(name) ?? builders[name]().then(gzipped);
    files.set(name, file);
    return file;
  };
  let client: Promise<BuiltArchive> | undefined;
  const webClient = async () => (client ??= (await import("./web-client.ts")).buildWebClient());
  const builders: Record<BuiltName, () => Promise<string | Uint8Array>> = {
    "openapi.json": async () => {
      const { openapiOf } = await import("../reference/openapi.ts");
      const { loadIntegrations } = await import("../reference/integrations.ts");
      return JSON.stringify(openapiOf(await endpoints(), await loadIntegrations()));
    },
    "routes.json": async () => JSON.stringify(routes),
    "web-client.json": async () => JSON.stringify(await webClient()),
    "page.html": async () => {
      const { accountPage } = await import("./web-client.ts");
      return gunzipSync(Buffer.from((await webClient())[accountPage]?.gzip ?? "", "base64"));
    },
    "reference.js": async () => (await import("../reference/page.ts")).pageScript(),
    "reference.css": async () => (await import("../reference/page.ts")).pageStyle(),
    "zulip.png": () => readFile(join(import.meta.dirname, "../static/zulip.png")),
    "loader-black.svg": () => readFile(join(import.meta.dirname, "../static/loader-black.svg")),
    "reference.html": async () => {
      const { pageHtml } = await import("../reference/page.ts");
      const [script, style] = await Promise.all([fileOf("reference.js"), fileOf("reference.css")]);
      return pageHtml({ script: versionOf(script), style: versionOf(style) });
    },
  };
  return fileOf;
}

const gzipped = (content: string | Uint8Array) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION });
