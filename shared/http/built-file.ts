import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { BuiltName } from "../uses.ts";
import { takesGzip } from "./compress.ts";
import type { HttpRequest } from "./event.ts";
import { RawReply } from "./raw-reply.ts";

/** A file of the build, packed as it lies beside the function's code. */
interface Built {
  gzipped: Uint8Array;
  version: string;
}

/** Makes a file when it is first asked for: put into the process by the local host, which builds nothing beforehand. */
declare const SKEIN_BUILT: ((name: BuiltName) => Promise<Uint8Array>) | undefined;

const read = new Map<BuiltName, Promise<Built>>();

const readBuilt = async (name: BuiltName): Promise<Built> => {
  const made = typeof SKEIN_BUILT === "undefined" ? undefined : SKEIN_BUILT;
  const gzipped = await (made?.(name) ?? readFile(join(import.meta.dirname, `${name}.gz`)));
  return { gzipped, version: versionOf(gzipped) };
};

/** What tells one making of a file from another. */
export const versionOf = (gzipped: Uint8Array) => createHash("sha256").update(gzipped).digest("hex").slice(0, 16);

/** A file that the build has made of the fleet, which the endpoint's `uses.built` names; 304 to whoever has it already. */
export async function builtFile(
  name: BuiltName,
  { headers }: HttpRequest,
  { version, ...own }: { "content-type": string; version?: string | undefined; "content-security-policy"?: string },
): Promise<RawReply> {
  const built = read.get(name) ?? readBuilt(name);
  read.set(name, built);
  built.catch(() => read.delete(name));
  const file = await built;
  const etag = `W/"${file.version}"`;
  const common = {
    ...own,
    etag,
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    // Whoever asks for this very version may keep it for good.
    "cache-control": version === file.version ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (headers["if-none-match"] === etag) return new RawReply(304, common);
  if (takesGzip(headers["accept-encoding"]))
    return new RawReply(200, { ...common, "content-encoding": "gzip" }, file.gzipped);
  return new RawReply(200, common, await promisify(gunzip)(file.gzipped));
}
