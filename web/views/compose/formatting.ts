import { t } from "../../base/languages/language.ts";
import type { IconName } from "../../parts/parts.tsx";

/** Markdown around the selected text, or where the cursor is. */

export interface Format {
  label: string;
  icon: IconName;
  /** The key that does the same with Ctrl, in the form of `aria-keyshortcuts`. */
  shortcut?: string;
  apply: (selected: string, before: string, after: string) => Insertion;
}

/** What replaces the selection, and the part of it that is selected then. */
export interface Insertion {
  text: string;
  start: number;
  end: number;
  /** How many characters before and after the selection it replaces, too. */
  outside?: readonly [before: number, after: number];
}

/** How many times a character is repeated at the start of a text. */
function runOf(character: string, text: string | readonly string[]): number {
  let length = 0;
  while (text[length] === character) length++;
  return length;
}

/** Puts marks around the text, or removes them, whether they are selected or next to the selection. */
const around =
  (mark: string) =>
  (selected: string, before: string, after: string): Insertion => {
    const [character = ""] = mark;
    const length = mark.length;
    const outside = [runOf(character, [...before].reverse()), runOf(character, after)] as const;
    const first = runOf(character, selected);
    const last = runOf(character, [...selected].reverse());
    const isOnlyMarks = first === selected.length;
    const opening = outside[0] + (isOnlyMarks ? 0 : first);
    const closing = outside[1] + (isOnlyMarks ? 0 : last);
    // A longer run is another mark: `**` is not twice `*`. Three are both of them.
    const isMark = (run: number) => run === length || (character === "*" && run === 3);
    if (!isMark(opening) || !isMark(closing))
      return { text: mark + selected + mark, start: length, end: length + selected.length };
    const inner = isOnlyMarks ? selected : selected.slice(first, selected.length - last);
    const start = opening - length;
    const text = character.repeat(start) + inner + character.repeat(closing - length);
    return { text, start, end: start + inner.length, outside };
  };

/** A block of its own lines. */
const block =
  (opening: string, closing: string) =>
  (selected: string): Insertion => ({
    text: `${opening}\n${selected}\n${closing}\n`,
    start: opening.length + 1,
    end: opening.length + 1 + selected.length,
  });

/** Makes items of whole lines, also of those that are only partly selected. */
const listItems = (selected: string, before: string, after: string): Insertion => {
  const start = before.slice(before.lastIndexOf("\n") + 1);
  // A selection that ends with a line break has nothing of the next line.
  const lineBreak = selected.endsWith("\n") ? "\n" : "";
  const [end = ""] = lineBreak ? [] : after.split("\n", 1);
  const lines = `${start}${selected}${end}`.slice(0, lineBreak ? -1 : undefined).split("\n");
  const text = lines.map((line) => `- ${line.trim()}`).join("\n") + lineBreak;
  return { text, start: selected ? 0 : text.length, end: text.length, outside: [start.length, end.length] };
};

const isLink = /^https?:\/\/\S+$/;

function link(selected: string): Insertion {
  const url = isLink.test(selected) ? selected : "https://";
  const name = isLink.test(selected) ? "" : selected;
  const text = `[${name}](${url})`;
  // What is missing is selected: the name of a link, or the link of a name.
  return name ? { text, start: name.length + 3, end: text.length - 1 } : { text, start: 1, end: 1 };
}

/** A fence that is longer than those in the text. */
const fenceFor = (text: string) =>
  "`".repeat(Math.max(3, ...[...text.matchAll(/^`+/gm)].map(([run]) => run.length + 1)));

const code = (selected: string, before: string, after: string): Insertion => {
  if (!selected.includes("\n")) return around("`")(selected, before, after);
  const fence = fenceFor(selected);
  return block(fence, fence)(selected);
};

const fenced = (word: string) => (selected: string) => {
  const fence = fenceFor(selected);
  return block(`${fence}${word}`, fence)(selected);
};

const spoiler = (selected: string): Insertion => {
  const fence = fenceFor(selected);
  const opening = `${fence}spoiler `;
  return { text: `${opening}\n${selected}\n${fence}\n`, start: opening.length, end: opening.length };
};

const math = (selected: string, before: string, after: string): Insertion =>
  selected.includes("\n") ? fenced("math")(selected) : around("$$")(selected, before, after);

/** A time in the person's own clock; every reader sees it in theirs. */
export function timeTag(unixSeconds: number): string {
  const when = new Date(unixSeconds * 1000);
  const offset = -when.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const two = (value: number) => String(value).padStart(2, "0");
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  const local = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}T${two(when.getHours())}:${two(when.getMinutes())}`;
  return `<time:${local}${zone}>`;
}

export const formats = (): readonly Format[] => [
  { label: t("Bold"), icon: "bold", shortcut: "b", apply: around("**") },
  { label: t("Italic"), icon: "italic", shortcut: "i", apply: around("*") },
  { label: t("Link"), icon: "link", shortcut: "Shift+l", apply: link },
  { label: t("Code"), icon: "code", apply: code },
  { label: t("Quote"), icon: "quote", apply: fenced("quote") },
  { label: t("List"), icon: "list", apply: listItems },
  { label: t("Spoiler"), icon: "hidden", apply: spoiler },
  { label: t("Math"), icon: "math", apply: math },
];

export const hasModifier = ({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) =>
  altKey || ctrlKey || metaKey || shiftKey;

/** The format whose key was pressed. */
export function formatOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): Format | undefined {
  if (ctrlKey === metaKey || altKey) return undefined;
  const pressed = (shiftKey ? "Shift+" : "") + key.toLowerCase();
  return formats().find(({ shortcut }) => shortcut === pressed);
}

/** Formats the selection of a field. The browser's own undo takes it back. */
export function applyFormat(field: HTMLTextAreaElement, { apply }: Format): void {
  const { selectionStart, selectionEnd, value } = field;
  const selected = value.slice(selectionStart, selectionEnd);
  const insertion = apply(selected, value.slice(0, selectionStart), value.slice(selectionEnd));
  const { text, start, end, outside = [0, 0] } = insertion;
  const from = selectionStart - outside[0];
  const to = selectionEnd + outside[1];
  // A block begins on a line of its own.
  const isBlock = text.includes("\n") && from > 0 && value[from - 1] !== "\n";
  const inserted = isBlock ? `\n${text}` : text;
  const offset = from + inserted.length - text.length;
  field.focus();
  field.setSelectionRange(from, to);
  replaceSelection(field, inserted);
  field.setSelectionRange(offset + start, offset + end);
}

const listMark = /^(\s*)(?:([-*+])|(\d{1,9})\.) +/;

/** Begins the next item of the list that the cursor is in, or ends the list at an empty item; returns whether it did. */
export function continueList(field: HTMLTextAreaElement): boolean {
  const { selectionStart, selectionEnd, value } = field;
  const lineStart = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const before = value.slice(lineStart, selectionStart);
  const [mark, indent = "", bullet, number] = listMark.exec(before) ?? [];
  if (mark === undefined || selectionStart !== selectionEnd) return false;
  const isEmpty = mark === before && /^\s*(?:\n|$)/.test(value.slice(selectionEnd));
  if (isEmpty) field.setSelectionRange(lineStart, selectionEnd);
  replaceSelection(field, isEmpty ? "" : `\n${indent}${bullet ?? `${Number(number) + 1}.`} `);
  return true;
}

/** Replaces the selected text as if it were typed: with an `input` event, and an entry in the browser's list of undo. */
export function replaceSelection(field: HTMLTextAreaElement, text: string): void {
  // Deprecated, but nothing else keeps what Ctrl+Z undoes. It refuses an empty text.
  if (text !== "" && document.execCommand("insertText", false, text)) return;
  field.setRangeText(text);
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
