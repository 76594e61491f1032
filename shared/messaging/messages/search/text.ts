import { decodeEntities } from "../../../base/html.ts";
import { type Analysis, analyze } from "./analyze.ts";

/** A tag, an entity, or text of rendered HTML, and its visible text; blocks, line breaks and the ends of formulas become spaces. */
export interface HtmlPiece {
  source: string;
  text: string;
}

const blocks = /^<\/?(?:p|div|li|ul|ol|br|tr|td|th|h[1-6]|blockquote|pre|table|annotation)\b/;

export const isTag = (piece: string) => piece.length > 1 && piece.startsWith("<");

export const piecesOfHtml = (html: string): HtmlPiece[] =>
  (html.match(/<[^>]*>|&#?\w{1,8};|[^<&]+|[<&]/g) ?? []).map((source) => ({
    source,
    text: isTag(source) ? (blocks.test(source) ? " " : "") : source.startsWith("&") ? decodeEntities(source) : source,
  }));

/** The visible text of HTML. */
export const textOfHtml = (html: string): string =>
  piecesOfHtml(html)
    .map(({ text }) => text)
    .join("");

const emojiTag = /^<span [^>]*\bclass="emoji emoji-([\da-f-]+)"/;
const customEmojiTag = /^<img (?=[^>]*\bclass="emoji")[^>]*\balt=":([^":]+):"/;
const uploadTag = /^<(?:a|audio|video) [^>]*\b(?:href|src)="\/user_uploads\/[^"?]*\/([^"/?]+)["?]/;

const linkTag = /^<a (?=[^>]*\bhref="(?:https?:\/\/|mailto:)([^"]+)")/;

const decodeUri = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The characters of the Unicode emoji in HTML, whose visible text is their names. */
export const emojiOfHtml = (html: string): string[] =>
  [...html.matchAll(new RegExp(emojiTag.source.slice(1), "g"))].map(([, code = ""]) => charactersOf(code));

/**
 * Cuts rendered HTML into atoms and compounds at positions in its visible text. An emoji is also its character; what is not
 * visible, which is the names of custom emoji and of linked files, and the targets of links, is at the end of the text and has no
 * length.
 */
export function analyzeHtml(pieces: readonly HtmlPiece[]): Analysis {
  const text = pieces.map((piece) => piece.text).join("");
  const { atoms, compounds } = analyze(text);
  const names = new Set<string>();
  const targets = new Set<string>();
  let position = 0;
  for (const [index, piece] of pieces.entries()) {
    if (isTag(piece.source)) {
      const code = emojiTag.exec(piece.source)?.[1];
      if (code !== undefined) {
        const to = position + (pieces[index + 1]?.text.length ?? 0);
        for (const atom of analyze(charactersOf(code)).atoms) atoms.push({ ...atom, from: position, to });
      }
      const custom = customEmojiTag.exec(piece.source)?.[1];
      if (custom !== undefined) names.add(custom);
      const file = uploadTag.exec(piece.source)?.[1];
      if (file !== undefined) names.add(decodeUri(decodeEntities(file)));
      const target = linkTag.exec(piece.source)?.[1];
      if (target !== undefined) targets.add(decodeEntities(target));
    }
    position += piece.text.length;
  }
  // Most links are written as their targets.
  for (const target of targets) if (!text.includes(target)) names.add(decodeUri(target));
  for (const name of names) {
    const hidden = { from: text.length, to: text.length };
    const analysis = analyze(name);
    for (const atom of analysis.atoms) atoms.push({ ...atom, ...hidden });
    for (const compound of analysis.compounds) compounds.push({ ...compound, ...hidden });
  }
  return { atoms, compounds };
}

/** The characters of an emoji's code, such as "1f1e9-1f1ea". */
export function charactersOf(code: string): string {
  const points = code.split("-").map((part) => Number.parseInt(part, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : "";
}
