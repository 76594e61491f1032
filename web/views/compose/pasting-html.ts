import DOMPurify from "dompurify";

/** Makes Markdown of HTML that is pasted: what other pages and programs put into the clipboard beside the text. */

const config = {
  ALLOWED_TAGS: [
    ...["a", "b", "strong", "i", "em", "s", "del", "strike", "code", "pre", "span", "br", "hr", "p", "div", "section"],
    ...["article", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"],
    ...["table", "thead", "tbody", "tfoot", "tr", "th", "td"],
  ],
  ALLOWED_ATTR: ["href", "start", "style"],
  RETURN_DOM_FRAGMENT: true as const,
};

/** HTML beyond this length, in UTF-16 units, is pasted as its text: to convert it would hold up the page. */
const maxHtmlLength = 300_000;
/** Elements nested more deeply than this count as text. */
const maxDepth = 60;

/** A mark on both sides of a text, but not of the spaces around it, on each of its lines. */
const marked = (text: string, mark: string) =>
  text.replace(/^([ \t]*)(\S.*?)([ \t]*)$/gm, (_, before, inner, after) => before + mark + inner + mark + after);

const isBold = ({ tagName, style: { fontWeight } }: HTMLElement) =>
  fontWeight === "" ? /^(B|STRONG)$/.test(tagName) : fontWeight === "bold" || Number(fontWeight) >= 600;
const isItalic = ({ tagName, style: { fontStyle } }: HTMLElement) =>
  fontStyle === "" ? /^(I|EM)$/.test(tagName) : fontStyle === "italic";

/** The end of a line of code, until its surroundings are in lines: those are trimmed and joined, and code is not. */
const codeBreak = "\0";
/** Lines without blanks at their ends, and with at most one empty line between them. */
const joined = (text: string) =>
  text
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();

/** A part that stands in lines of its own. */
const block = (text: string, gap = "\n\n") => (text.trim() === "" ? "" : `${gap}${text.trim()}${gap}`);

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));

function codeOf(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return text.trim() === "" ? text : `${fence}${pad}${text}${pad}${fence}`;
}

function fencedOf(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `\n\n${[fence, ...text.replace(/\n$/, "").split("\n"), fence].join(codeBreak)}\n\n`;
}

function listOf(list: HTMLElement, depth: number): string {
  const first = Number(list.getAttribute("start") ?? 1);
  const items = [...list.children].map((item, index) => {
    const mark = list.tagName === "OL" ? `${first + index}.` : "-";
    return `${mark} ${joined(childrenOf(item, depth)).replaceAll(/\n+|\0/g, "\n  ")}`;
  });
  const gap = list.parentElement?.closest("li") ? "\n" : "\n\n";
  return block(items.join("\n"), gap);
}

function tableOf(table: HTMLElement, depth: number): string {
  const rows = [...table.querySelectorAll("tr")].map((row) =>
    [...row.children].map((cell) =>
      childrenOf(cell, depth)
        .trim()
        .replaceAll(/[\s\0]+/g, " ")
        .replaceAll("|", "\\|"),
    ),
  );
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`;
  const [head = [], ...others] = rows;
  return block([line(head), line(Array(width).fill("---")), ...others.map(line)].join("\n"));
}

function linkOf(link: HTMLElement, depth: number): string {
  const text = childrenOf(link, depth);
  const href = link.getAttribute("href") ?? "";
  if (!/^(?:https?:|mailto:)/i.test(href) || text.trim() === "" || /[\n\0[\]]/.test(text.trim())) return text;
  return text.trim() === href ? href : `[${text.trim()}](${href.replaceAll(")", "%29")})`;
}

const childrenOf = (parent: Node, depth: number): string =>
  [...parent.childNodes].map((node) => markdownOfNode(node, depth + 1)).join("");

function markdownOfNode(node: Node, depth: number): string {
  if (!(node instanceof HTMLElement) || depth > maxDepth) return (node.textContent ?? "").replaceAll(/\s+/g, " ");
  const inner = () => childrenOf(node, depth);
  switch (node.tagName) {
    case "BR":
      return "\n";
    case "HR":
      return block("---");
    case "PRE":
      return fencedOf(node.textContent ?? "");
    case "CODE":
      return codeOf(node.textContent ?? "");
    case "A":
      return linkOf(node, depth);
    case "UL":
    case "OL":
      return listOf(node, depth);
    case "TABLE":
      return tableOf(node, depth);
    case "BLOCKQUOTE":
      return block(joined(inner()).replaceAll(codeBreak, "\n").replaceAll(/^/gm, "> "));
    case "P":
      return block(inner());
    case "DIV":
    case "SECTION":
    case "ARTICLE":
      return block(inner(), "\n");
    case "S":
    case "DEL":
    case "STRIKE":
      return marked(inner(), "~~");
  }
  const level = /^H([1-6])$/.exec(node.tagName)?.[1];
  if (level) return block(`${"#".repeat(Number(level))} ${(node.textContent ?? "").trim().replaceAll(/\s+/g, " ")}`);
  const text = isItalic(node) ? marked(inner(), "*") : inner();
  return isBold(node) ? marked(text, "**") : text;
}

const withoutSpace = (text: string) => text.replaceAll(/\s+/g, "");

/** The Markdown of pasted HTML; undefined if it has no more form than its `text`. */
export function markdownOfPasted(html: string, text: string): string | undefined {
  if (html === "" || html.length > maxHtmlLength) return undefined;
  const fragment = DOMPurify.sanitize(html, config);
  // Editors of code put all that is copied into such an element, be it a word.
  const [only, ...others] = [...fragment.childNodes].filter(({ textContent }) => textContent?.trim());
  if (others.length === 0 && only?.nodeName === "PRE") return undefined;
  const markdown = joined(childrenOf(fragment, 0)).replaceAll(codeBreak, "\n");
  return withoutSpace(markdown) === withoutSpace(text) ? undefined : markdown;
}
