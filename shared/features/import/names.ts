import { createHmac } from "node:crypto";
import { realmId } from "../../base/limits.ts";
import { isUnseen, nameKey } from "../../base/name-key.ts";
import { truncate } from "../../base/schema/text.ts";
import { safeName } from "../../services/blobs/names.ts";
import type { Member } from "../bootstrap/members.ts";

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

/** Whether a mention with nothing but the name means this member: nobody else who is active has it. */
export function isMeantByName({ id, fullName }: Member, members: readonly Member[]): boolean {
  const name = fullName.toLowerCase();
  const meant = members.filter((member) => !member.deactivated && member.fullName.toLowerCase() === name);
  return meant.length === 1 && meant[0]?.id === id;
}

/** Names that are each given once. */
export class UniqueNames {
  readonly #taken: Set<string>;
  /** The last number that was tried, by the name that it follows. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map(nameKey));
  }

  /** A name of at most `max` characters: the given one, or with a number if another looks like it. */
  take(name: string, max: number): string {
    const stem = truncate(name, max - maxSuffixLength, "…")
      .trim()
      .toLowerCase();
    let unique = truncate(name, max, "…").trim();
    for (let number = this.#numbers.get(stem) ?? 2; this.#taken.has(nameKey(unique)); number++) {
      const suffix = ` (${number})`;
      unique = truncate(name, max - suffix.length, "…").trim() + suffix;
      this.#numbers.set(stem, number);
    }
    this.#taken.add(nameKey(unique));
    return unique;
  }
}

/** Of a name among as many as there may be. */
const maxSuffixLength = " (1000000)".length;

export function isTimezone(name: string): boolean {
  try {
    return name !== "" && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A name without the characters that names of channels and groups must not contain. */
export const allowedName = (name: string): string =>
  isUnseen(name)
    ? ""
    : name
        .replace(/[\t-\r\u0085]/g, " ")
        .replace(/[\p{Cc}\p{Cs}\p{Cn}]/gu, "")
        .trim();
