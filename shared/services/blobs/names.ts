import { randomBytes } from "node:crypto";
import { realmId } from "../../base/limits.ts";

const maxNameCharacters = 150;

/** The file name that users see and download: the last path segment of the sender's name, without control characters. */
export function displayName(sentName: string): string {
  const lastSegment = sentName.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = lastSegment.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, "").trim();
  return /^\.*$/.test(clean) ? "uploaded-file" : truncateName(clean);
}

/** A name that is safe in a URL's path: letters, digits, "_", "." and "-", but not "." or "../..". */
export function safeName(sentName: string): string {
  const clean = displayName(sentName)
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}_\s.-]/gu, "")
    .trim()
    .replace(/[-\s]+/g, "-");
  return /^[.-]*$/.test(clean) ? "uploaded-file" : truncateName(clean);
}

function truncateName(name: string): string {
  const characters = [...name];
  if (characters.length <= maxNameCharacters) return name;
  const extension = /\.[^.]{1,10}$/u.exec(name)?.[0] ?? "";
  return characters.slice(0, maxNameCharacters - [...extension].length).join("") + extension;
}

/** An unguessable path for a new file: "1/4f/<random>/<name>". */
export const newPathId = (name: string) =>
  [realmId, randomBytes(1).toString("hex"), randomBytes(18).toString("base64url"), safeName(name)].join("/");

export const uploadFileKey = (pathId: string) => `uploads/${pathId}`;

/** The Content-Disposition header for a file with this name (RFC 6266). */
export function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
