import { badRequest } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { canonicalType, type Emoji, type ReactionType } from "../../store/messages/reactions.ts";
import { findEmoji, findEmojiIdByName } from "../../store/organization/emoji.ts";
import { extraEmojiNames, loadEmojiTable } from "./names.ts";

/** Returns the emoji of a name: custom emoji take precedence over extra ones, and these over Unicode's. */
export async function getEmojiByName(name: string): Promise<Emoji> {
  const id = await findEmojiIdByName(name);
  if (id !== undefined) return { name, code: String(id), type: "realm_emoji" };
  if (extraEmojiNames.includes(name)) return { name, code: name, type: "service_extra_emoji" };
  const code = (await loadEmojiTable()).codeOf(name);
  if (code === undefined) throw badRequest(`Emoji '${name}' does not exist`);
  return { name, code, type: "unicode_emoji" };
}

/** An emoji as a client names it: code and type follow from the name if they are missing. */
export async function resolveEmoji(name: string, code?: string, type?: ReactionType): Promise<Emoji> {
  const byName = code === undefined || type === undefined ? await getEmojiByName(name) : undefined;
  return { name, code: code ?? byName?.code ?? "", type: canonicalType(type ?? byName?.type ?? "unicode_emoji") };
}

/** The emoji that a request names. */
export const namedEmoji: Need<
  Emoji,
  { params: { emoji_name: string; emoji_code?: string | undefined; reaction_type?: ReactionType | undefined } }
> = {
  early: (sent) => {
    const isWhole = sent("emoji_code") !== undefined && sent("reaction_type") !== undefined;
    const name = isWhole ? undefined : sent("emoji_name");
    return name === undefined ? undefined : findEmojiIdByName(name);
  },
  load: ({ params }) => resolveEmoji(params.emoji_name, params.emoji_code, params.reaction_type),
};

/** Refuses an emoji with an unknown code, a name that is not the code's, or that is deactivated. */
export async function checkEmoji({ name, code, type }: Emoji): Promise<void> {
  if (type === "realm_emoji") {
    const customEmoji = await findCustomEmoji(code);
    if (!customEmoji) throw badRequest("Invalid custom emoji.");
    if (customEmoji.name !== name) throw badRequest("Invalid custom emoji name.");
    if (customEmoji.deactivated) throw badRequest("This custom emoji has been deactivated.");
    return;
  }
  if (!(await isEmojiCode({ code, type }))) throw badRequest("Invalid emoji code.");
  const isNameOfCode = type === "unicode_emoji" ? (await loadEmojiTable()).codeOf(name) === code : name === code;
  if (!isNameOfCode) throw badRequest("Invalid emoji name.");
}

/** Whether a code names an emoji of its type, deactivated or not. */
export async function isEmojiCode({ code, type }: Pick<Emoji, "code" | "type">): Promise<boolean> {
  if (type === "realm_emoji") return (await findCustomEmoji(code)) !== undefined;
  if (type === "unicode_emoji") return (await loadEmojiTable()).namesOf(code).length > 0;
  return extraEmojiNames.includes(code);
}

const findCustomEmoji = async (code: string) => (/^\d{1,15}$/.test(code) ? findEmoji(Number(code)) : undefined);
