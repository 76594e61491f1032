import { createHmac } from "node:crypto";
import { safeName } from "../../shared/blobs/names.ts";
import { realmId } from "../../shared/limits.ts";
import { truncate } from "../../shared/schema/text.ts";

/** The path of a file, the same in each attempt, but unguessable for those who have the archive. */
export function pathFor(source: string, name: string, secret: string): string {
  const hash = createHmac("sha256", `${secret} imported files`).update(source).digest();
  return [realmId, hash.toString("hex", 0, 1), hash.toString("base64url", 1, 19), safeName(name)].join("/");
}

/** The name of a picture, the same in each attempt. */
export const pictureNameFor = (source: string, secret: string): string =>
  createHmac("sha256", `${secret} imported pictures`).update(source).digest("hex").slice(0, 40);

/** A token of a service, the same in each attempt. */
export const tokenFor = (service: string, secret: string): string =>
  createHmac("sha256", `${secret} imported services`).update(service).digest("hex").slice(0, 32);

export const urlOfFile = (pathId: string) => `/user_uploads/${pathId.split("/").map(encodeURIComponent).join("/")}`;

/** A name of at most `max` characters that is not taken: with a number where it is. */
export function uniqueName(name: string, max: number, isTaken: (candidate: string) => boolean): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : ` (${number})`;
    const candidate = truncate(name, max - suffix.length, "…").trim() + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

export function isTimezone(name: string): boolean {
  try {
    return name !== "" && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A name without the characters that names of channels and groups must not contain. */
export const allowedName = (name: string): string => name.replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, "").trim();
