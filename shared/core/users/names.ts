import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { blankCharacter, isUnseen, nameKey } from "../../base/name-key.ts";
import { lengthOf } from "../../base/schema/params.ts";
import type { Realm } from "../../services/organization/access.ts";
import { listUsers } from "../../store/users/users.ts";

/**
 * The joiners that Persian and Indic names need between two letters, and emoji between two pictures. Every other character of
 * Unicode's category C, or that is shown as a blank, would make a name that nobody can tell from another, or that changes the direction of
 * what follows.
 */
const meaningfulJoiners =
  /(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}])[\u200C\u200D](?=[\p{L}\p{M}])|(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/gu;

const invisible = new RegExp(`\\p{C}|${blankCharacter.source}`, "gu");

/** A space for a blank, a tab or a line break, which part words; nothing for the others. */
const shownAs = (character: string) => (/[\t-\r\u0085]/.test(character) || blankCharacter.test(character) ? " " : "");

/** The text without characters that nobody sees, except joiners that mean something; nothing if there are no others. */
function withoutInvisible(text: string): string {
  const kept = new Set([...text.matchAll(meaningfulJoiners)].map(({ index }) => index));
  const rest = text.replace(invisible, (character, index: number) =>
    kept.has(index) ? character : shownAs(character),
  );
  return isUnseen(rest) ? "" : rest;
}

/** Checks a full name and returns it in stored form; refuses characters that have a meaning in mentions. */
export function checkFullName(text: string): string {
  const name = text.trim();
  if (lengthOf(name) > limits.fullNameLength) throw badRequest("Name too long!");
  if (lengthOf(name) < 1) throw badRequest("Name too short!");
  const others = name.replace(meaningfulJoiners, "");
  if (/[*`\\>"@]|\p{C}/u.test(others) || blankCharacter.test(others) || isUnseen(name))
    throw badRequest("Invalid characters in name!");
  if (/\|\d+$/.test(name)) throw badRequest("Invalid format!");
  return name;
}

/** The part of a text that may be a full name; empty if nothing remains. */
export const toAllowedName = (text: string): string =>
  shortened(withoutInvisible(text.replace(/[*`\\>"@|]/g, "")), limits.fullNameLength);

/** The first characters of a name, without a joiner behind which it ends. */
const shortened = (name: string, length: number): string =>
  withoutInvisible([...name.trim()].slice(0, length).join("")).trim();

/** Refuses a name that looks like another user's if the organization requires unique names; queries all users then. */
export async function checkNameFree(fullName: string, { settings }: Realm, ownId?: number): Promise<void> {
  if (!settings.require_unique_names) return;
  // Clients show several spaces as one.
  const keyOf = (name: string) => nameKey(name).replaceAll(/\s+/g, " ");
  const key = keyOf(fullName);
  const users = await listUsers();
  if (users.some((user) => user.active && user.id !== ownId && keyOf(user.fullName) === key))
    throw badRequest("Unique names required in this organization.");
}

/** The first name that remains when what names here must not contain is left out; with the address if it is taken. */
export async function freeName(names: readonly string[], email: string, realm: Realm, ownId?: number): Promise<string> {
  const [name = "Newcomer"] = names.map(toAllowedName).filter((each) => each !== "");
  try {
    await checkNameFree(name, realm, ownId);
    return name;
  } catch {
    const address = ` (${email.replace("@", " at ")})`;
    const otherName = toAllowedName(shortened(name, Math.max(1, limits.fullNameLength - address.length)) + address);
    await checkNameFree(otherName, realm, ownId);
    return otherName;
  }
}
