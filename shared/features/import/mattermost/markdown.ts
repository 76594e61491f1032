import { codeBlockOf, quoted } from "../../../core/markdown/source/fenced.ts";
import { plain } from "../../../core/markdown/source/plain.ts";
import { marked } from "../../integrations/slack-emphasis.ts";

/**
 * Mattermost's Markdown, which is CommonMark with tables, mentions and emoji, as Markdown of messages here. See
 * https://docs.mattermost.com/end-user-guide/collaborate/format-messages.html.
 */

/** What the things that a text names are called. Each function returns undefined for what is not known, which stays as it is. */
export interface MattermostNames {
  /** By a name in lower case. A mention in a table cannot have an ID, because a bar would end the cell. */
  user(name: string, isInTable: boolean): string | undefined;
  channel(name: string): string | undefined;
  /** The name of an emoji here. */
  emoji(name: string): string | undefined;
  /** Where an address leads to now. */
  link(url: string): string | undefined;
}

export function fromMattermost(text: string, names: MattermostNames): string {
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\0", "").split("\n");
  const definitions = new Map<string, string>();
  const own = lines.length > 1 ? lines.filter((line) => !isDefinition(line, definitions)) : lines;
  return new Blocks(new Inline(names, definitions), 0).convert(own).join("\n").trim();
}

/** Whether a line says where links to a label lead, as in `[label]: https://example.com`; notes it then. */
function isDefinition(line: string, definitions: Map<string, string>): boolean {
  const [, label, url] = /^ {0,3}\[([^[\]]{1,200})\]: *<?([^\s<>]{1,2000})>?(?: +"[^"]*")? *$/.exec(line) ?? [];
  if (label === undefined || url === undefined || !/^(?:https?:|mailto:|\/)/i.test(url)) return false;
  definitions.set(label.toLowerCase(), url);
  return true;
}

/** Quotations in quotations that are read; deeper ones are text. */
const maxQuoteDepth = 8;
const tabWidth = 4;
const widthOf = (indentation: string): number =>
  [...indentation].reduce((width, character) => width + (character === "\t" ? tabWidth - (width % tabWidth) : 1), 0);

const fenceLine = /^([ \t]*)(`{3,}|~{3,})(.*)$/;
const quoteLine = /^ {0,3}> ?/;
const itemLine = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)(.*)$/;
const headingLine = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const ruleLine = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const tableRule = /^[ \t|:-]*$/;

/** What belongs together by its lines. */
class Blocks {
  readonly #inline: Inline;
  readonly #depth: number;
  #output: string[] = [];
  /** Lines whose marks may belong together. */
  #paragraph: string[] = [];
  /** The columns at which the items of the lists begin that are open, the innermost last. */
  #lists: number[] = [];

  constructor(inline: Inline, depth: number) {
    this.#inline = inline;
    this.#depth = depth;
  }

  convert(lines: readonly string[]): string[] {
    let at = 0;
    while (at < lines.length) at = this.#block(lines, at);
    this.#endParagraph();
    return this.#output;
  }

  /** Reads what begins at a line; returns where the next begins. */
  #block(lines: readonly string[], at: number): number {
    const line = lines[at] as string;
    if (line.trim() === "") {
      this.#endParagraph();
      this.#output.push("");
      return at + 1;
    }
    const isAfterBlank = at === 0 || lines[at - 1]?.trim() === "";
    const indentation = widthOf(/^[ \t]*/.exec(line)?.[0] ?? "");
    if (isAfterBlank && indentation < 2 && !itemLine.test(line)) this.#lists = [];
    const isIndented = this.#lists.length === 0 && this.#paragraph.length === 0 && indentation >= tabWidth;
    if (isIndented) return this.#indentedCode(lines, at);
    const fence = this.#lists.length > 0 || indentation < tabWidth ? fenceLine.exec(line) : null;
    if (fence && !(fence[2]?.startsWith("`") && fence[3]?.includes("`"))) return this.#code(lines, at, fence);
    if (quoteLine.test(line) && this.#depth < maxQuoteDepth) return this.#quotation(lines, at);
    const next = lines[at + 1] ?? "";
    if (line.includes("|") && next.includes("-") && next.includes("|") && tableRule.test(next))
      return this.#table(lines, at);
    if (ruleLine.test(line)) return this.#whole("---", at);
    const [, level, title] = headingLine.exec(line) ?? [];
    if (level !== undefined) return this.#whole(`${level} ${this.#inline.convert(title ?? "")}`, at);
    const item = itemLine.exec(line);
    if (item) {
      this.#endParagraph();
      this.#paragraph.push(this.#item(indentation, item));
      return at + 1;
    }
    if (this.#paragraph.length === 0 && /^ {0,3}(?:=+|-+)[ \t]*$/.test(next)) {
      this.#whole(`${next.includes("=") ? "#" : "##"} ${this.#inline.convert(line.trim())}`, at);
      return at + 2;
    }
    this.#paragraph.push(line);
    return at + 1;
  }

  #endParagraph(): void {
    if (this.#paragraph.length > 0) this.#output.push(...this.#inline.convert(this.#paragraph.join("\n")).split("\n"));
    this.#paragraph = [];
  }

  /** A block of one line. */
  #whole(line: string, at: number): number {
    this.#endParagraph();
    this.#output.push(line);
    return at + 1;
  }

  /** Adds lines that blank ones must separate from others. */
  #apart(lines: readonly string[]): void {
    this.#endParagraph();
    if (this.#output.length > 0 && this.#output.at(-1) !== "") this.#output.push("");
    this.#output.push(...lines);
  }

  #indentedCode(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && /^(?:[ \t]*$| {4}|\t)/.test(lines[end] as string)) end++;
    while (lines[end - 1]?.trim() === "") end--;
    if (end <= at) return this.#whole(this.#inline.convert(lines[at] as string), at);
    const code = lines.slice(at, end).map((line) => line.replace(/^(?: {4}|\t)/, ""));
    this.#apart(codeBlockOf(code.join("\n")).split("\n"));
    return end;
  }

  #code(lines: readonly string[], at: number, [, indentation = "", fence = "", info = ""]: RegExpExecArray): number {
    const code: string[] = [];
    let end = at + 1;
    for (; end < lines.length; end++) {
      const line = lines[end] as string;
      const closing = line.trim();
      if (closing.length >= fence.length && closing === fence.charAt(0).repeat(closing.length)) break;
      code.push(line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart());
    }
    const [, language = ""] = /^[ \t]*([\w+./#-]+)/.exec(info) ?? [];
    this.#apart(codeBlockOf(code.join("\n"), languages.get(language.toLowerCase()) ?? language).split("\n"));
    return end + 1;
  }

  #quotation(lines: readonly string[], at: number): number {
    let end = at;
    while (end < lines.length && quoteLine.test(lines[end] as string)) end++;
    const inner = new Blocks(this.#inline, this.#depth + 1).convert(
      lines.slice(at, end).map((line) => line.replace(quoteLine, "")),
    );
    this.#endParagraph();
    if (inner.some((line) => /^(?:`{3}|~{3})/.test(line))) this.#apart(quoted(inner.join("\n")).split("\n"));
    else this.#output.push(...inner.map((line) => `> ${line}`.trimEnd()));
    return end;
  }

  #table(lines: readonly string[], at: number): number {
    let end = at + 2;
    while (end < lines.length && lines[end]?.includes("|")) end++;
    this.#apart(
      lines.slice(at, end).map((line, row) => (row === 1 ? line.trim() : this.#inline.convert(line.trim(), true))),
    );
    if ((lines[end] ?? "").trim() !== "") this.#output.push("");
    return end;
  }

  #item(indentation: number, [, , marker = "", , text = ""]: RegExpExecArray): string {
    while (this.#lists.length > 0 && (this.#lists.at(-1) as number) > indentation) this.#lists.pop();
    const innermost = this.#lists.at(-1);
    if (innermost === undefined || indentation >= innermost + 2) this.#lists.push(indentation);
    const box = text.replace(/^\[( |x|X)\][ \t]+/, (_, mark: string) => (mark === " " ? "☐ " : "☑ "));
    return `${"  ".repeat(this.#lists.length - 1)}${marker.replace(")", ".")} ${box}`;
  }
}

/** Languages of fences that mean something else than code here, or there. */
const languages = new Map([
  ...["quote", "quoted", "spoiler", "math"].map((language) => [language, ""] as const),
  ...["latex", "tex", "katex"].map((language) => [language, "math"] as const),
]);

/** What may begin something within a line. */
const starts = /\\|`+|!?\[|<|https?:\/\/|@|~+|:|_+|\*+|\$\$+|#(?=\*\*)/gi;
const escapable = /[!-/:-@[-`{-~]/;
const entityOf = (character: string): string => `&#x${character.charCodeAt(0).toString(16)};`;
/** Letters of other scripts are no words to Mattermost, so that marks and mentions may be beside them. */
const isWord = (character: string | undefined): boolean => /^\w$/.test(character ?? "");
/** Underscores before a mention may be marks. */
const isWordBefore = (text: string, at: number): boolean =>
  /[a-z0-9]_{0,3}$/i.test(text.slice(Math.max(0, at - 4), at));
const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character);

/** In a label: text, and images or other labels with brackets. */
const labelPart = String.raw`((?:[^\[\]\n]|\[[^\[\]\n]*\](?:\([^()\s]*\))?)*)`;
const linkPattern = new RegExp(
  String.raw`!?\[${labelPart}\]\([ \t]*(?:<([^<>\n]*)>|((?:[^\s()<>]|\([^\s()]*\))*))(?:[ \t]+=\d*x?\d*)?(?:[ \t]+"([^"\n]*)")?[ \t]*\)`,
  "y",
);
const referencePattern = /!?\[([^[\]\n]{1,500})\](?:\[([^[\]\n]{0,200})\])?/y;
const autolinkPattern = /<((?:https?|ftp|mailto|tel):[^\s<>]+|[^\s<>@:]+@[^\s<>@]+)>/iy;
const urlPattern = /https?:\/\/[^\s<>`|]*/iy;
const userPattern = /@([a-z0-9._-]{1,64})/iy;
const channelPattern = /~([a-z0-9._-]{1,64})/iy;
const emojiPattern = /:([a-z0-9_+-]{1,64}):/iy;

/** A part of a text: `mention` is that of a person or channel, which must not be beside a mark or a letter here. */
interface Piece {
  kind: "text" | "mention";
  text: string;
}

/** Emphasis that may end further on. */
interface Opened {
  sign: string;
  /** Where its sign is in the output. */
  index: number;
  /** How many mentions were before it. */
  mentions: number;
}

/** So many signs are remembered, of which any may be the one that ends. */
const maxOpened = 100;

/** What is marked within lines. */
class Inline {
  readonly #names: MattermostNames;
  readonly #definitions: ReadonlyMap<string, string>;

  constructor(names: MattermostNames, definitions: ReadonlyMap<string, string>) {
    this.#names = names;
    this.#definitions = definitions;
  }

  convert(text: string, isInTable = false): string {
    const output: Piece[] = [];
    const opened: Opened[] = [];
    const runs = runsOf(text);
    let [at, mentions] = [0, 0];
    starts.lastIndex = 0;
    for (let start = starts.exec(text); start; start = starts.exec(text)) {
      output.push({ kind: "text", text: text.slice(at, start.index) });
      const [mark] = start;
      at = start.index;
      if (/^(?:_{1,3}|\*{1,3}|~~)$/.test(mark)) {
        readSign(mark, text, at, output, opened, mentions);
        at += mark.length;
      } else {
        const [piece, end] = this.#piece(text, at, mark, isInTable, runs);
        const kind = /^(?:@\*\*|#\*\*)/.test(piece) ? "mention" : "text";
        if (kind === "mention") mentions++;
        output.push({ kind, text: piece });
        at = end;
      }
      // A conversion within this one has used it.
      starts.lastIndex = at;
    }
    output.push({ kind: "text", text: text.slice(at) });
    return joined(output);
  }

  /** What becomes of what begins at a mark, and where it ends. */
  #piece(text: string, at: number, mark: string, isInTable: boolean, runs: Runs): [piece: string, end: number] {
    const asIs: [string, number] = [mark, at + mark.length];
    switch (mark.charAt(0)) {
      case "\\":
        return escaped(text, at, isInTable);
      case "`": {
        const end = runs.endOf(at, mark.length);
        if (end === undefined) return asIs;
        const code = text.slice(at, end);
        return [isInTable ? code.replaceAll("\\|", "|") : code, end];
      }
      case "!":
      case "[":
        return this.#link(text, at, isInTable) ?? asIs;
      case "<":
        return this.#autolink(text, at);
      case "@":
        return this.#mention(text, at, isInTable);
      case "~":
        return this.#channel(text, at, mark, isInTable) ?? asIs;
      case "*":
      case "_":
        return asIs;
      case ":":
        return this.#emoji(text, at) ?? asIs;
      case "$":
      case "#":
        return [[...mark].map(entityOf).join(""), at + mark.length];
      default: {
        const [url, end] = urlAt(text, at);
        return [this.#address(url), end];
      }
    }
  }

  #link(text: string, at: number, isInTable: boolean): [string, number] | undefined {
    linkPattern.lastIndex = at;
    const found = linkPattern.exec(text);
    const isImage = text[at] === "!";
    if (found) {
      const [whole, label = "", inBrackets, bare, title] = found;
      const url = (inBrackets ?? bare ?? "").trim();
      return [this.#linkTo(label, url, { title, isImage, isInTable }), at + whole.length];
    }
    referencePattern.lastIndex = at;
    const [whole, label = "", reference] = referencePattern.exec(text) ?? [];
    const url = this.#definitions.get((reference || label).toLowerCase());
    if (whole === undefined || url === undefined) return undefined;
    return [this.#linkTo(label, url, { title: undefined, isImage, isInTable }), at + whole.length];
  }

  #linkTo(
    label: string,
    url: string,
    { title, isImage, isInTable }: { title: string | undefined; isImage: boolean; isInTable: boolean },
  ): string {
    // A picture within a link, such as a badge, is its text.
    const flat = label.replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1");
    const shown = isImage ? plain(flat) || "image" : this.convert(flat, isInTable).replace(/[[\]]/g, entityOf);
    if (url === "") return shown;
    const target = (this.#names.link(url) ?? url).replace(/[<>\s]/g, encodeURIComponent);
    const destination = /[()]/.test(target) ? `<${target}>` : target;
    return `[${shown || target}](${destination}${title ? ` "${title}"` : ""})`;
  }

  /** An address that is a link by itself. Only a whole one is, so that one within the organization needs a label. */
  #address(url: string): string {
    const target = this.#names.link(url);
    return target === undefined ? url : `[${url}](${target})`;
  }

  #autolink(text: string, at: number): [string, number] {
    autolinkPattern.lastIndex = at;
    const [whole, target = ""] = autolinkPattern.exec(text) ?? [];
    if (whole !== undefined) {
      const address = target.replace(/^mailto:/i, "");
      return [this.#address(address), at + whole.length];
    }
    // Here, but not there, it would be a time.
    return [text.startsWith("<time:", at) ? "&lt;" : "<", at + 1];
  }

  #mention(text: string, at: number, isInTable: boolean): [string, number] {
    userPattern.lastIndex = at;
    const [, written = ""] = isWordBefore(text, at) ? [] : (userPattern.exec(text) ?? []);
    // A sentence may end with a name, and names may contain the same signs.
    for (let name = written; name !== ""; name = /[._-]$/.test(name) ? name.slice(0, -1) : "") {
      const mention = this.#names.user(name.toLowerCase(), isInTable);
      if (mention !== undefined) return [mention, at + 1 + name.length];
    }
    // Here, but not there, bold text after it would be a mention.
    if (/^_?\*/.test(text.slice(at + 1, at + 3))) return [entityOf("@"), at + 1];
    return [`@${written}`, at + 1 + written.length];
  }

  #channel(text: string, at: number, mark: string, isInTable: boolean): [string, number] | undefined {
    if (mark.length > 1 || isWordBefore(text, at)) return undefined;
    channelPattern.lastIndex = at;
    const [, written = ""] = channelPattern.exec(text) ?? [];
    for (let name = written; name !== ""; name = /[._-]$/.test(name) ? name.slice(0, -1) : "") {
      const reference = this.#names.channel(name.toLowerCase());
      if (reference !== undefined)
        return [isInTable ? reference.replaceAll("|", entityOf("|")) : reference, at + 1 + name.length];
    }
    return undefined;
  }

  #emoji(text: string, at: number): [string, number] | undefined {
    emojiPattern.lastIndex = at;
    const [whole, written = ""] = emojiPattern.exec(text) ?? [];
    const name = this.#names.emoji(written.toLowerCase());
    return whole === undefined || name === undefined ? undefined : [`:${name}:`, at + whole.length];
  }
}

/** Adds a sign, which may begin emphasis, or end it. */
function readSign(sign: string, text: string, at: number, output: Piece[], opened: Opened[], mentions: number): void {
  const [before, after] = [text[at - 1], text[at + sign.length]];
  const isUnderscore = sign.startsWith("_");
  const index = output.push({ kind: "text", text: sign }) - 1;
  const closes = !isSpace(before) && !(isUnderscore && isWord(after));
  const begun = closes ? opened.findLastIndex((one) => one.sign === sign) : -1;
  if (begun >= 0) {
    const [start] = opened.splice(begun) as [Opened];
    emphasize(sign.replaceAll("_", "*"), output, start.index, index, mentions > start.mentions);
  } else if (!isSpace(after) && !(isUnderscore && isWord(before))) {
    opened.push({ sign, index, mentions });
    if (opened.length > maxOpened) opened.shift();
  }
}

/** Emphasizes what is between two signs. Mentions stay outside of marks, which would make them text. */
function emphasize(mark: string, output: Piece[], start: number, end: number, hasMentions: boolean): void {
  const [first, last] = [output[start] as Piece, output[end] as Piece];
  first.text = last.text = hasMentions ? "" : mark;
  if (!hasMentions) return;
  let group: Piece[] = [];
  const endGroup = () => {
    const written = group.map(({ text }) => text).join("");
    for (const piece of group) piece.text = "";
    const inner = mark === "***" ? marked(written, "*") : written;
    if (group[0]) group[0].text = marked(inner, mark === "***" ? "**" : (mark as "*" | "**" | "~~"));
    group = [];
  };
  for (const piece of output.slice(start + 1, end)) {
    if (piece.kind === "mention") endGroup();
    else group.push(piece);
  }
  endGroup();
}

/** The pieces one after the other, with a space before mentions where something is that would make them text. */
function joined(pieces: readonly Piece[]): string {
  const written: string[] = [];
  let last = "";
  let isAfterMention = false;
  for (const { kind, text } of pieces) {
    if (text === "") continue;
    const isApart = text.startsWith("#") ? /^[\s'"({/<]?$/ : /^[\s'"({[/<]?$/;
    if (kind === "mention" && !isApart.test(last)) written.push(" ");
    // A mention ends with marks, with which those of what follows must not be read.
    else if (isAfterMention && text.startsWith("*")) written.push("\u200b");
    written.push(text);
    last = text.at(-1) ?? last;
    isAfterMention = kind === "mention";
  }
  return written.join("");
}

/** What becomes of a backslash, and where it ends. */
function escaped(text: string, at: number, isInTable: boolean): [string, number] {
  const next = text[at + 1] ?? "";
  if (next === "\n") return ["", at + 1];
  if (!escapable.test(next)) return ["\\", at + 1];
  const isPlain = next === "\\" || next === "_" || next === "/" || next === "%" || (next === "|" && !isInTable);
  return [isPlain ? next : entityOf(next), at + 2];
}

/** An address, without what ends the sentence or the emphasis in which it is, and where it ends. */
function urlAt(text: string, at: number): [url: string, end: number] {
  urlPattern.lastIndex = at;
  let url = urlPattern.exec(text)?.[0] ?? "";
  let unopened = (url.match(/\)/g)?.length ?? 0) - (url.match(/\(/g)?.length ?? 0);
  while (/[*_~.,;:!?'"\]]$/.test(url) || (url.endsWith(")") && unopened > 0)) {
    if (url.endsWith(")")) unopened--;
    url = url.slice(0, -1);
  }
  return [url, at + url.length];
}

/** The runs of backticks in a text, which begin and end code. */
class Runs {
  readonly #byLength: Map<number, number[]>;
  readonly #next = new Map<number, number>();

  constructor(byLength: Map<number, number[]>) {
    this.#byLength = byLength;
  }

  /** Where code ends that begins with a run, which is after all that was asked for before; undefined if it does not end. */
  endOf(at: number, length: number): number | undefined {
    const positions = this.#byLength.get(length) ?? [];
    let next = this.#next.get(length) ?? 0;
    while (next < positions.length && (positions[next] as number) <= at) next++;
    this.#next.set(length, next);
    const end = positions[next];
    return end === undefined ? undefined : end + length;
  }
}

function runsOf(text: string): Runs {
  const byLength = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const positions = byLength.get(run.length) ?? [];
    byLength.set(run.length, positions);
    positions.push(index);
  }
  return new Runs(byLength);
}
