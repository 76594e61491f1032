import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { isUnseen } from "../../base/name-key.ts";
import { lengthOf } from "../../base/schema/params.ts";
import { checkCharacters, checkDescription } from "../../base/schema/text.ts";
import { findGroupIdsByName } from "../../store/organization/groups.ts";

/** Prefixes that have another meaning in mentions and search. */
const reservedPrefixes = ["@", "role:", "user:", "stream:", "channel:"];

export function checkGroupName(text: string): string {
  const name = text.trim();
  if (isUnseen(name)) throw badRequest("User group name can't be empty!");
  if (lengthOf(name) > limits.groupNameLength)
    throw badRequest(`User group name cannot exceed ${limits.groupNameLength} characters.`);
  for (const prefix of reservedPrefixes)
    if (name.startsWith(prefix)) throw badRequest(`User group name cannot start with '${prefix}'.`);
  checkCharacters(name, "user group name");
  return name;
}

export const checkGroupDescription = (text: string): string => checkDescription(text, limits.groupDescriptionLength);

/** Refuses the name of an existing group. If two are created at once, a condition of the transaction refuses the second. */
export async function checkGroupNameFree(name: string): Promise<void> {
  const [existingId] = await findGroupIdsByName([name]);
  if (existingId !== undefined) throw groupAlreadyExists(name);
}

export const maxRequestedSubgroups = 80;

export const groupAlreadyExists = (name: string) => badRequest(`User group '${name}' already exists.`);

/** The number of custom groups that one change may reference: each is a condition check in the change's transaction. */
const maxGroups = 40;

export function checkGroupCount(ids: number[]): number[] {
  if (ids.length > maxGroups) throw badRequest(`A change can reference at most ${maxGroups} user groups.`);
  return ids;
}
