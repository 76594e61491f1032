import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { pathNotFound } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import { ProcessCache, readThrough } from "../../base/process-cache.ts";
import type { BuiltName } from "../../base/uses.ts";
import { acceptsGzip } from "./compress.ts";
import { hasVersion } from "./etag.ts";
import type { HttpRequest } from "./event.ts";
import { RawReply } from "./raw-reply.ts";

/** A build artifact as the host provides it. */
interface Built {
  gzipped: Uint8Array;
  version: string;
}

/** An archive of build artifacts by name: each with its media type and its gzipped content in base64. */
export type BuiltArchive = Record<string, { type: string; gzip: string }>;

/** The headers of a reply, and the version that the client requested. */
interface BuiltHeaders {
  "content-type": string;
  "content-security-policy"?: string;
  "cache-control"?: string;
  version?: string | undefined;
}

const builtFiles = new ProcessCache<BuiltName, Promise<Built>>({ minRetained: 20 });

type ArchivedFile = Built & { type: string };
const archives = new ProcessCache<BuiltName, Promise<ReadonlyMap<string, ArchivedFile>>>({ minRetained: 2 });

const readBuilt = async (name: BuiltName): Promise<Built> => {
  const gzipped = await currentHost().builtFile(name);
  return { gzipped, version: versionOf(gzipped) };
};

/** Identifies a file's content, for ETags and versioned URLs. */
export const versionOf = (gzipped: Uint8Array) => createHash("sha256").update(gzipped).digest("hex").slice(0, 16);

/** Serves a build artifact, which the endpoint's `uses.built` must name; 304 to a client that has the current version. */
export async function builtFileReply(
  name: BuiltName,
  { headers }: HttpRequest,
  { version, ...ownHeaders }: BuiltHeaders,
): Promise<RawReply> {
  const file = await readThrough(builtFiles, name, () => readBuilt(name));
  const cacheControl =
    // A request for exactly this version may be cached forever.
    version === file.version ? immutable : "no-cache";
  return fileReply(file, headers, { "cache-control": cacheControl, ...ownHeaders });
}

/** The text of a build artifact, for a function that uses it as a template. */
export async function readBuiltText(name: BuiltName): Promise<string> {
  const { gzipped } = await readThrough(builtFiles, name, () => readBuilt(name));
  return (await promisify(gunzip)(gzipped)).toString("utf8");
}

/** Returns the entry with a name from the request's path, or throws a 404. */
export function accessNamed<T>(files: Readonly<Record<string, T>>, name: string): T {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw pathNotFound();
  return file;
}

const webClient = "web-client.json";
const immutable = "public, max-age=31536000, immutable";

/**
 * Serves a file of the web client's build, or throws a 404. Names change with the files' contents, so that browsers may
 * cache them forever, unless `ownHeaders` sets another header.
 */
export async function accessArchivedFile(
  name: string,
  { headers }: HttpRequest,
  ownHeaders: Record<string, string> = {},
): Promise<RawReply> {
  const files = await readThrough(archives, webClient, async () => openArchive(await readBuilt(webClient)));
  const file = files.get(name);
  if (!file) throw pathNotFound();
  return fileReply(file, headers, { "content-type": file.type, "cache-control": immutable, ...ownHeaders });
}

async function openArchive({ gzipped }: Built): Promise<ReadonlyMap<string, ArchivedFile>> {
  const files = JSON.parse((await promisify(gunzip)(gzipped)).toString("utf8")) as BuiltArchive;
  return new Map(
    Object.entries(files).map(([name, { type, gzip }]) => {
      const content = Buffer.from(gzip, "base64");
      return [name, { type, gzipped: content, version: versionOf(content) }];
    }),
  );
}

async function fileReply(
  file: Built,
  headers: HttpRequest["headers"],
  ownHeaders: Record<string, string>,
): Promise<RawReply> {
  const etag = `W/"${file.version}"`;
  const common = {
    etag,
    vary: "accept-encoding",
    "referrer-policy": "no-referrer",
    ...ownHeaders,
  };
  if (hasVersion({ headers }, etag)) return new RawReply(304, common);
  if (acceptsGzip(headers["accept-encoding"]))
    return new RawReply(200, { ...common, "content-encoding": "gzip" }, file.gzipped);
  return new RawReply(200, common, await promisify(gunzip)(file.gzipped));
}
