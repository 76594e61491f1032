/**
 * A mark is a placeholder for parsed content, enclosed in two control characters. The rendering step `normalizeWhitespace`
 * removes these characters from all input.
 */

const begin = "\u0002";
const end = "\u0003";

export const htmlMark = (id: number): string => `${begin}h${id}${end}`;
/** The mark of the opening or closing HTML of a frame around blocks. */
export const frameMark = (id: number): string => `${begin}f${id}${end}`;
export const nodeMark = (id: number): string => `${begin}${id}${end}`;

/** Matches marks; the group is the ID. Each call returns a new expression, because a global one has state (`lastIndex`). */
export const htmlMarks = (): RegExp => new RegExp(`${begin}[hf](\\d+)${end}`, "g");
export const nodeMarks = (): RegExp => new RegExp(`${begin}(\\d+)${end}`, "g");

const onlyFrameMark = new RegExp(`^\\s*(${begin}f\\d+${end})\\s*$`);
const markOrRemains = new RegExp(`${begin}[hf]?\\d+${end}|[${begin}${end}]`, "g");
const markCharacters = new RegExp(`[${begin}${end}]`, "g");

/** Removes marks and remains of split ones. */
export function withoutMarks(text: string): string {
  return text.includes(begin) || text.includes(end) ? text.replace(markOrRemains, "") : text;
}

/** Removes the characters that enclose marks, so that input cannot contain any. */
export function withoutMarkCharacters(text: string): string {
  return text.replace(markCharacters, "");
}

/** The mark of a part of a frame, if the text consists of nothing else. */
export function soleFrameMark(text: string): string | undefined {
  return hasMark(text) ? onlyFrameMark.exec(text)?.[1] : undefined;
}

export function hasMark(text: string): boolean {
  return text.includes(begin);
}
