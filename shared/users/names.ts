import { badRequest } from "../errors.ts";
import { lengthOf } from "../http/params.ts";
import type { Realm } from "../organization/access.ts";
import { limits } from "../settings.ts";
import { listUsers } from "../store/users.ts";

/** A full name as it will be stored: trimmed, and without what would be read as a mention's syntax. */
export function checkFullName(given: string): string {
  const name = given.trim();
  if (lengthOf(name) > limits.fullNameLength) throw badRequest("Name too long!");
  if (lengthOf(name) < 1) throw badRequest("Name too short!");
  if (/[*`\\>"@]|[\p{Cc}\p{Cs}\p{Cn}]/u.test(name)) throw badRequest("Invalid characters in name!");
  if (/\|\d+$/.test(name)) throw badRequest("Invalid format!");
  return name;
}

/** Refuses another's name, where the organization wants names to be unique; then a paged query of all users. */
export async function checkNameFree(fullName: string, { settings }: Realm, ownId?: number): Promise<void> {
  if (!settings.require_unique_names) return;
  const wanted = fullName.toLowerCase();
  const users = await listUsers();
  if (users.some((user) => user.active && user.id !== ownId && user.fullName.toLowerCase() === wanted))
    throw badRequest("Unique names required in this organization.");
}
