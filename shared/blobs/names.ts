import { randomBytes } from "node:crypto";
import { realmId } from "../limits.ts";

const longestName = 150;

/** What a file is called in lists and when it is saved: the last part of what its sender called it, without controls. */
export function displayName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = last.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, "").trim();
  return /^\.*$/.test(clean) ? "uploaded-file" : shortened(clean);
}

/** A name that is safe in a URL's path: letters, digits, "_", "." and "-", and never a step upwards. */
export function safeName(given: string): string {
  const clean = displayName(given)
    .normalize("NFKC")
    .replace(/[^\p{L}\p{M}\p{N}_\s.-]/gu, "")
    .trim()
    .replace(/[-\s]+/g, "-");
  return /^[.-]*$/.test(clean) ? "uploaded-file" : shortened(clean);
}

/** Cut in the middle, so that the ending stays. */
function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= longestName) return name;
  const ending = /\.[^.]{1,10}$/u.exec(name)?.[0] ?? "";
  return letters.slice(0, longestName - [...ending].length).join("") + ending;
}

/** A place for a new file that nobody can guess: "1/4f/<random>/<name>". */
export const newPathId = (name: string) =>
  [realmId, randomBytes(1).toString("hex"), randomBytes(18).toString("base64url"), safeName(name)].join("/");

/** The key of an upload's content in the bucket. */
export const uploadFile = (pathId: string) => `uploads/${pathId}`;

/** "Content-Disposition" for a file of this name (RFC 6266). */
export function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
