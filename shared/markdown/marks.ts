// Two control characters, which the whitespace step takes out of all input, enclose what stands for something parsed.
const begin = "\u0002";
const end = "\u0003";

/** What stands for the HTML or node of a number. */
export const htmlMark = (id: number): string => `${begin}h${id}${end}`;
export const frameMark = (id: number): string => `${begin}f${id}${end}`;
export const nodeMark = (id: number): string => `${begin}${id}${end}`;

/** Finds them; the group is the number. A new expression each time, as it keeps its place. */
export const htmlMarks = (): RegExp => new RegExp(`${begin}[hf](\\d+)${end}`, "g");
export const nodeMarks = (): RegExp => new RegExp(`${begin}(\\d+)${end}`, "g");

const frame = new RegExp(`^\\s*(${begin}f\\d+${end})\\s*$`);
const any = new RegExp(`${begin}[hf]?\\d+${end}|[${begin}${end}]`, "g");
const characters = new RegExp(`[${begin}${end}]`, "g");

/** Text without any mark, whole or broken. */
export function withoutMarks(text: string): string {
  return text.includes(begin) || text.includes(end) ? text.replace(any, "") : text;
}

/** Text in which no mark can be, as the characters that make one are taken out. */
export function withoutMarkCharacters(text: string): string {
  return text.replace(characters, "");
}

/** The mark of a part of a frame, if the text is nothing else. */
export function soleFrameMark(text: string): string | undefined {
  return hasMark(text) ? frame.exec(text)?.[1] : undefined;
}

/** Whether text has a mark. */
export function hasMark(text: string): boolean {
  return text.includes(begin);
}
