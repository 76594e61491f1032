import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Realm } from "../organization/access.ts";
import { lengthOf } from "../schema/params.ts";
import { listUsers } from "../store/users/users.ts";

/** Checks a full name and returns it in stored form; refuses characters that have a meaning in mentions. */
export function checkFullName(text: string): string {
  const name = text.trim();
  if (lengthOf(name) > limits.fullNameLength) throw badRequest("Name too long!");
  if (lengthOf(name) < 1) throw badRequest("Name too short!");
  if (/[*`\\>"@]|[\p{Cc}\p{Cs}\p{Cn}]/u.test(name)) throw badRequest("Invalid characters in name!");
  if (/\|\d+$/.test(name)) throw badRequest("Invalid format!");
  return name;
}

/** The part of a text that may be a full name; empty if nothing remains. */
export const toAllowedName = (text: string): string =>
  [...text.replace(/[*`\\>"@|]|[\p{Cc}\p{Cs}\p{Cn}]/gu, "").trim()].slice(0, limits.fullNameLength).join("").trim();

/** Refuses another user's name if the organization requires unique names; queries all users then. */
export async function checkNameFree(fullName: string, { settings }: Realm, ownId?: number): Promise<void> {
  if (!settings.require_unique_names) return;
  const lowerCaseName = fullName.toLowerCase();
  const users = await listUsers();
  if (users.some((user) => user.active && user.id !== ownId && user.fullName.toLowerCase() === lowerCaseName))
    throw badRequest("Unique names required in this organization.");
}

/** The first name that remains when what names here must not contain is left out; with the address if it is taken. */
export async function freeName(names: readonly string[], email: string, realm: Realm, ownId?: number): Promise<string> {
  const [name = "Newcomer"] = names.map(toAllowedName).filter((each) => each !== "");
  try {
    await checkNameFree(name, realm, ownId);
    return name;
  } catch {
    const otherName = toAllowedName(`${name} (${email.replace("@", " at ")})`);
    await checkNameFree(otherName, realm, ownId);
    return otherName;
  }
}
