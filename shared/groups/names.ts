import { badRequest } from "../errors.ts";
import { lengthOf } from "../http/params.ts";
import { checkCharacters } from "../messages/topics.ts";
import { limits } from "../settings.ts";

/** Beginnings that mean something else where groups are named. */
const reserved = ["@", "role:", "user:", "stream:", "channel:"];

/** A group's name as it will be stored. */
export function checkGroupName(text: string): string {
  const name = text.trim();
  if (name === "") throw badRequest("User group name can't be empty!");
  if (lengthOf(name) > limits.groupNameLength)
    throw badRequest(`User group name cannot exceed ${limits.groupNameLength} characters.`);
  for (const beginning of reserved)
    if (name.startsWith(beginning)) throw badRequest(`User group name cannot start with '${beginning}'.`);
  checkCharacters(name, "user group name");
  return name;
}

/** A group's description as it will be stored. */
export function checkGroupDescription(text: string): string {
  const description = text.trim().toWellFormed();
  if (description.includes("\0")) throw badRequest("Invalid character in description");
  if (lengthOf(description) > limits.groupDescriptionLength)
    throw badRequest(`description is too long (limit: ${limits.groupDescriptionLength} characters)`);
  return description;
}

export const groupAlreadyExists = (name: string) => badRequest(`User group '${name}' already exists.`);

/** Groups made by people that one change may name: each is looked at again in the change's own transaction. */
const mostGroups = 40;

export function checkFewGroups(ids: number[]): number[] {
  if (ids.length > mostGroups) throw badRequest(`A change can name at most ${mostGroups} user groups.`);
  return ids;
}
