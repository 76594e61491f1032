import { limits } from "../../base/limits.ts";
import { RenderLimitError } from "./budget.ts";
import type { Element } from "./element.ts";
import { withoutMarks } from "./marks.ts";
import type { RenderState } from "./state.ts";

/**
 * Serializes the tree as HTML. Only this module makes HTML from users' content: it escapes every string and attribute value,
 * except for the HTML that the renderer itself has stored in `state.html`, for which the text contains a mark (`marks.ts`).
 */

const voidTags = new Set(["br", "hr", "img"]);
const bareAmpersand = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

/** The HTML that has been written. It cannot become longer than a message may be: escaping lengthens text. */
class HtmlParts {
  readonly #parts: string[] = [];
  #characters = 0;

  push(html: string): void {
    this.#characters += html.length;
    if (this.#characters > limits.renderedBytes) throw new RenderLimitError();
    this.#parts.push(html);
  }

  toString(): string {
    return this.#parts.join("");
  }
}

export function htmlOf(state: RenderState): string {
  const parts = new HtmlParts();
  for (const child of state.root.children) writeElement(state, child, parts);
  return parts.toString();
}

function writeElement(state: RenderState, { tag, attributes, text, children, tail }: Element, parts: HtmlParts): void {
  const storedBlock = tag === "p" && children.length === 0 ? state.html.soleBlock(text) : undefined;
  if (storedBlock !== undefined) parts.push(storedBlock);
  else {
    parts.push(`<${tag}${attributesOf(attributes)}>`);
    writeText(state, text, parts);
    for (const child of children) writeElement(state, child, parts);
    if (!voidTags.has(tag)) parts.push(`</${tag}>`);
  }
  writeText(state, tail, parts);
}

function writeText(state: RenderState, text: string, parts: HtmlParts): void {
  for (const part of state.html.split(text)) parts.push(part.html ?? escapeText(part.text ?? ""));
}

/** Escapes text, except for HTML entities and quotation marks. */
function escapeText(text: string): string {
  // A construct may begin or end inside a mark. The rest of the mark must not be shown.
  return withoutMarks(text).replace(bareAmpersand, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const attributesOf = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) =>
      name === value ? ` ${name}` : ` ${name}="${escapeText(String(value)).replaceAll('"', "&quot;")}"`,
    )
    .join("");
