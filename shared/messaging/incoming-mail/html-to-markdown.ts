import { Parser } from "htmlparser2";
import { codeBlockOf } from "../../core/markdown/source/fenced.ts";
import { HopelessJob } from "../../services/jobs/worker.ts";
import type { TextParts } from "./cut.ts";

/**
 * Turns a mail's HTML into Markdown. The parser calls back for each tag, and no tree is built; what nests too deeply or is too long is
 * refused or cut while it is read.
 */

const maxNesting = 500;
const maxCharacters = 200_000;

/** A part of the document, of which the text is complete when the tag is closed. */
interface Frame {
  tag: string;
  /** The text so far, and its last character. */
  out: string;
  last: string;
  href?: string | undefined;
  /** Of a list: the number of the next item; undefined for bullets. */
  next?: number | undefined;
  /** Of a table. */
  rows?: string[][];
}

const skippedTags = new Set(
  "head script style noscript template title svg math iframe object embed select textarea audio video canvas".split(
    " ",
  ),
);
const blockTags = new Set(
  "address article aside center dd details div dl dt fieldset figure figcaption footer form header main nav p section summary".split(
    " ",
  ),
);
const marks: Readonly<Record<string, string>> = {
  ...{ b: "**", strong: "**", i: "*", em: "*" },
  ...{ s: "~~", strike: "~~", del: "~~" },
};
const headings: Readonly<Record<string, string>> = {
  h1: "#",
  h2: "##",
  h3: "###",
  h4: "####",
  h5: "#####",
  h6: "######",
};

/** The elements in which mail programs put what they quote, and signatures. */
const quotedElement =
  /\b(?:gmail_quote|gmail_extra|yahoo_quoted|protonmail_quote|moz-cite-prefix|tutanota_quote|OutlookMessageHeader)\b/;
const signatureElement = /\b(?:gmail_signature|moz-signature|protonmail_signature_block|Signature)\b/;
/** Outlook's, after which everything is quoted. */
const quoteBegins = /^(?:appendonsend|divRplyFwdMsg|mail-editor-reference-message-container|OLK_SRC_BODY_SECTION)$/;

const isHidden = ({ style = "", hidden }: Record<string, string>) =>
  hidden !== undefined ||
  /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|font-size\s*:\s*0(?:px|pt)?\s*(?:;|$|!)/i.test(style);

/** Pictures of the mail are written as links to `cid:…`. */
export function htmlToMarkdown(html: string): TextParts {
  const parts = { body: "", quote: "", signature: "" };
  const stack: Frame[] = [{ tag: "", out: "", last: "" }];
  let skipped = 0;
  let skippedTag = "";
  let preformatted = 0;
  let length = 0;
  let quoteHasBegun = false;
  /** The outermost open element that is a quote or a signature. */
  let rest: { frame: Frame; kind: "quote" | "signature" } | undefined;
  const top = () => stack.at(-1) as Frame;

  const add = (text: string) => {
    const added = text.slice(0, Math.max(0, maxCharacters - length));
    length += added.length;
    top().out += added;
    // The end of a growing text is remembered, because to look it up takes as long as the text.
    if (added !== "") top().last = added.at(-1) as string;
  };
  const addBlock = (text: string) => {
    const content = text.replace(/^\n+/, "").trimEnd();
    if (content !== "") add(`\n\n${content}\n\n`);
  };
  const addText = (text: string) => {
    if (preformatted > 0) return add(text);
    const collapsed = text.replaceAll(/[\s\u200b\u200c\u00ad\ufeff]+/g, " ");
    const { last } = top();
    add(last === "" || last === " " || last === "\n" ? collapsed.trimStart() : collapsed);
  };

  const close = () => {
    const frame = stack.pop() as Frame;
    const { tag, out } = frame;
    length -= out.length;
    if (tag === "pre") preformatted--;
    if (tag in marks) add(marked(out, marks[tag] as string));
    else if (tag === "a") add(linked(out, frame.href));
    else if (tag in headings) addBlock(out.trim() && `${headings[tag]} ${oneLine(out)}`);
    else if (tag === "code" || tag === "tt")
      add(preformatted > 0 || out.includes("`") || !out.trim() ? out : `\`${oneLine(out)}\``);
    else if (tag === "pre") addBlock(out.trim() && codeBlockOf(out.replaceAll(/^\n|\n$/g, "")));
    else if (tag === "blockquote") addBlock(prefixed(tidy(out), "> ", "> "));
    else if (tag === "li") addItem(out);
    else if (tag === "ul" || tag === "ol")
      (stack.some(({ tag }) => tag === "li") ? add : addBlock)(`\n${out.trim()}\n`);
    else if (tag === "td" || tag === "th") {
      const row = stack.findLast(({ rows }) => rows)?.rows?.at(-1);
      if (row) row.push(tidy(out));
      else addBlock(out);
    } else if (tag === "table") addBlock(tableText(frame.rows ?? []) + out);
    else if (blockTags.has(tag)) addBlock(out);
    else add(out);
  };
  const addItem = (out: string) => {
    const list = stack.findLast(({ tag }) => tag === "ul" || tag === "ol");
    const bullet = list?.next === undefined ? "* " : `${list.next++}. `;
    const text = tidy(out);
    if (text) add(`\n${prefixed(text, bullet, "  ")}`);
  };

  const parser = new Parser({
    onopentag(tag, attributes) {
      if (skipped > 0) {
        if (tag === skippedTag) skipped++;
        return;
      }
      if (tag === "br") return add("\n");
      if (tag === "hr") return addBlock("---");
      if (tag === "img") return add(picture(attributes));
      if (voidTags.has(tag)) return;
      if (skippedTags.has(tag) || isHidden(attributes)) {
        [skipped, skippedTag] = [1, tag];
        return;
      }
      if (stack.length > maxNesting)
        throw new HopelessJob(`The mail cannot be read: its HTML nests more than ${maxNesting} deep`);
      const names = `${attributes.class ?? ""} ${attributes.id ?? ""}`;
      if (quoteBegins.test(attributes.id ?? "")) quoteHasBegun = true;
      stack.push({
        ...{ tag, out: "", last: "" },
        ...(tag === "a" && { href: attributes.href }),
        ...(tag === "ol" && { next: /^\d{1,6}$/.test(attributes.start ?? "") ? Number(attributes.start) : 1 }),
        ...(tag === "table" && { rows: [] }),
      });
      if (tag === "tr") stack.findLast(({ rows }) => rows)?.rows?.push([]);
      if (tag === "pre") preformatted++;
      // What a quote contains is part of it.
      if (rest) return;
      if (quoteHasBegun || quotedElement.test(names) || (tag === "blockquote" && attributes.type === "cite"))
        rest = { frame: top(), kind: "quote" };
      else if (signatureElement.test(names)) rest = { frame: top(), kind: "signature" };
    },
    ontext(text) {
      if (skipped === 0) addText(text);
    },
    onclosetag(tag) {
      if (skipped > 0) {
        if (tag === skippedTag) skipped--;
        return;
      }
      if (voidTags.has(tag) || !stack.some((frame) => frame.tag === tag)) return;
      while (stack.length > 1) {
        const isLast = top().tag === tag;
        closeTop();
        if (isLast) return;
      }
    },
  });
  /** Closes the innermost element; if it is a quote or a signature, its text goes there instead of into the outer one. */
  const closeTop = () => {
    const taken = rest?.frame === top() ? rest : undefined;
    const outer = stack.at(-2) as Frame;
    const { out, last } = outer;
    close();
    if (!taken) return;
    parts[taken.kind] += `\n\n${outer.out.slice(out.length)}`;
    Object.assign(outer, { out, last });
    rest = undefined;
  };
  parser.write(html);
  parser.end();
  while (stack.length > 1) closeTop();
  const body = tidy(top().out);
  return {
    body: quoteHasBegun && body.endsWith("---") ? body.slice(0, -3).trimEnd() : body,
    quote: tidy(parts.quote),
    signature: tidy(parts.signature),
  };
}

const voidTags = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));

/** At most one empty line in a row, and no blanks at the ends of lines. */
const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Marks the text of one line; blanks stay outside, where Markdown needs them. */
function marked(text: string, mark: string): string {
  const content = text.trim();
  if (content === "" || content.includes("\n") || content.startsWith(mark[0] as string)) return text;
  const start = text.slice(0, text.indexOf(content));
  return `${start}${mark}${content}${mark}${text.slice(start.length + content.length)}`;
}

function linked(text: string, href = ""): string {
  const label = oneLine(text);
  const url = href.trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(url) || /[\s()<>]/.test(url) || url.length > 2000) return text;
  if (label === "" || label.includes("](")) return text;
  if (label === url || `mailto:${label}` === url || `${label}/` === url) return label;
  return `[${label.replaceAll(/[[\]]/g, "")}](${url})`;
}

/** A picture that the mail contains as a link to it, any other only as its description: loading it would tell that it was read. */
function picture({ src = "", alt = "" }: Record<string, string>): string {
  const label = oneLine(alt).replaceAll(/[[\]]/g, "").slice(0, 100);
  const [, contentId] = /^cid:([^\s()<>]{1,200})$/i.exec(src.trim()) ?? [];
  return contentId === undefined ? label : `[${label || "picture"}](cid:${contentId})`;
}

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split("\n")
    .map((line, index) => `${index === 0 ? first : others}${line}`)
    .join("\n");

/** A table of data as such; one that only arranges the page as its cells, one after another. */
function tableText(rows: readonly string[][]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ""));
  const columns = filled[0]?.length ?? 0;
  const isData =
    filled.length > 1 &&
    columns > 1 &&
    filled.every((row) => row.length === columns && !row.some((cell) => cell.includes("\n")));
  if (!isData)
    return filled
      .map((row) => row.filter(Boolean).join(row.some((cell) => cell.includes("\n")) ? "\n\n" : " "))
      .join("\n");
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "¦")).join(" | ")} |`;
  const [head = [], ...body] = filled;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}
