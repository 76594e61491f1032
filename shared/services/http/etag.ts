import { createHash } from "node:crypto";
import type { HttpRequest } from "./event.ts";

/** Validation of what browsers have cached: a client that has a file's current version gets a 304 without content. */

/** The ETag of content that is identified by a unique name and never changes. Does not reveal the name. */
export const etagOf = (name: string): string => `"${createHash("sha256").update(name).digest("hex").slice(0, 32)}"`;

/** Whether a request's `If-None-Match` names a version; compares weakly, as HTTP requires. */
export const hasVersion = ({ headers }: Pick<HttpRequest, "headers">, etag: string): boolean =>
  (headers["if-none-match"] ?? "").split(",").some((each) => withoutWeakness(each.trim()) === withoutWeakness(etag));

const withoutWeakness = (etag: string) => etag.replace(/^W\//, "");

/** The range that a request wants; undefined if it wants a range of another version only (`If-Range`). */
export const rangeOf = ({ headers }: Pick<HttpRequest, "headers">, etag: string): string | undefined =>
  (headers["if-range"] ?? etag) === etag ? headers.range : undefined;
