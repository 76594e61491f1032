import type { Element } from "./element.ts";
import { withoutMarks } from "./marks.ts";
import type { RenderState } from "./state.ts";

/**
 * Writes the tree as HTML. This is the only place where HTML is put together from what people wrote: every text and every
 * attribute's value is escaped here, and unescaped is only what the renderer made itself and put into `state.html`.
 */

const voidTags = new Set(["br", "hr", "img"]);
const bareAmpersand = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

export function htmlOf(state: RenderState): string {
  const parts: string[] = [];
  for (const child of state.root.children) writeElement(state, child, parts);
  return parts.join("");
}

function writeElement(state: RenderState, { tag, attributes, text, children, tail }: Element, parts: string[]): void {
  const block = tag === "p" && children.length === 0 ? state.html.soleBlock(text) : undefined;
  if (block !== undefined) parts.push(block);
  else {
    parts.push(`<${tag}${attributesOf(attributes)}>`);
    writeText(state, text, parts);
    for (const child of children) writeElement(state, child, parts);
    if (!voidTags.has(tag)) parts.push(`</${tag}>`);
  }
  writeText(state, tail, parts);
}

function writeText(state: RenderState, text: string, parts: string[]): void {
  for (const part of state.html.split(text)) parts.push(part.html ?? escapeText(part.text ?? ""));
}

/** Entities that are written out stay entities, and quotation marks themselves. */
function escapeText(text: string): string {
  // A construct may have taken a mark apart; nothing stands for what is left of it.
  return withoutMarks(text).replace(bareAmpersand, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const attributesOf = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) =>
      name === value ? ` ${name}` : ` ${name}="${escapeText(String(value)).replaceAll('"', "&quot;")}"`,
    )
    .join("");
