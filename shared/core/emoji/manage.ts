import { ApiError, badRequest, insufficientPermission, notFound } from "../../base/errors.ts";
import { type Caller, isAdministrator, isGuest } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { findEmoji, findEmojiIdByName, type OrganizationEmoji } from "../../store/organization/emoji.ts";
import { loadEmojiTable } from "./names.ts";

/** Returns a request's only file; throws if there are none or several. */
export function onlyPicture<T>(files: readonly T[]): T {
  const [file, secondFile] = files;
  if (file === undefined || secondFile !== undefined) throw badRequest("You must upload exactly one file.");
  return file;
}

/** Returns an emoji name in lower case with underscores for spaces. Refuses other characters. */
export function checkEmojiName(text: string): string {
  const name = text.trim().toLowerCase().replaceAll(" ", "_");
  if (name === "") throw badRequest("Emoji name is missing");
  if (name.length > 100) throw badRequest("Emoji name is too long (limit: 100 characters)");
  if (!/^[0-9a-z\-_.]+$/.test(name))
    throw badRequest(
      "Emoji names must contain only lowercase English letters, digits, spaces, dashes, underscores, and periods",
    );
  if (!/[0-9a-z]$/.test(name)) throw badRequest("Emoji names must end with either a letter or digit.");
  return name;
}

/** Refuses callers who may not add emoji, names in use, and names that only administrators may override. */
export async function checkMayAddEmoji(caller: Caller, name: string, { settings }: Realm): Promise<void> {
  if (isGuest(caller)) throw badRequest("Not allowed for guest users");
  if (!(await hasPermission(caller, settings.can_add_custom_emoji_group, settings))) throw insufficientPermission();
  if ((await findEmojiIdByName(name)) !== undefined) throw nameTaken();
  if (!isAdministrator(caller) && (await loadEmojiTable()).codeOf(name) !== undefined)
    throw badRequest("Only administrators can override default emoji.");
}

export const noSuchEmoji = (name: string) => notFound(`Emoji '${name}' does not exist`);
export const nameTaken = () => badRequest("A custom emoji with this name already exists.");

/** Returns the active emoji of a name. Throws unless the caller is its author or an administrator. */
export async function accessEmojiToRemove(caller: Caller, name: string): Promise<OrganizationEmoji> {
  const id = await findEmojiIdByName(name);
  const emoji = id === undefined ? undefined : await findEmoji(id);
  if (!emoji) throw noSuchEmoji(name);
  if (!isAdministrator(caller) && emoji.authorId !== caller.id)
    throw new ApiError("UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator or emoji author");
  return emoji;
}
