import type { MarkdownIt, StateCore, Token } from "markdown-it";
import type { Element } from "./element.ts";
import { withoutMarks } from "./marks.ts";
import { addStep, type RenderState } from "./state.ts";

const voidTags = new Set(["br", "hr", "img"]);
const bareAmpersand = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

/** Plugin: the tree becomes the tokens of markdown-it, whose renderer writes the HTML by the rules set here. */
export function tokens(md: MarkdownIt): void {
  addStep(md, "tokens", (state, core) => {
    for (const child of state.root.children) pushElement(state, core, child);
  });
  md.renderer.rules.text = (list, index) => escapeText(list[index]!.content);
  md.renderer.rules.html_block = (list, index) => list[index]!.content;
  md.renderer.renderAttrs = renderAttributes;
}

function pushElement(state: RenderState, core: StateCore, element: Element): void {
  const block = element.tag === "p" && element.children.length === 0 ? state.html.soleBlock(element.text) : undefined;
  if (block !== undefined) push(core, "html_block", block);
  else {
    const isVoid = voidTags.has(element.tag);
    const token = new core.Token(isVoid ? element.tag : `${element.tag}_open`, element.tag, isVoid ? 0 : 1);
    token.attrs = Object.entries(element.attributes).sort(([a], [b]) => (a < b ? -1 : 1));
    core.tokens.push(token);
    pushText(state, core, element.text);
    for (const child of element.children) pushElement(state, core, child);
    if (!isVoid) core.tokens.push(new core.Token(`${element.tag}_close`, element.tag, -1));
  }
  pushText(state, core, element.tail);
}

function pushText(state: RenderState, core: StateCore, text: string): void {
  if (text === "") return;
  for (const part of state.html.split(text)) {
    if (part.html !== undefined) push(core, "html_block", part.html);
    else if (part.text) push(core, "text", part.text);
  }
}

function push(core: StateCore, type: string, content: string): void {
  const token = new core.Token(type, "", 0);
  token.content = content;
  core.tokens.push(token);
}

/** Entities that are written out stay entities, and quotation marks themselves. */
function escapeText(text: string): string {
  // A construct may have taken a mark apart; nothing stands for what is left of it.
  return withoutMarks(text).replace(bareAmpersand, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function renderAttributes(token: Token): string {
  const attributes = (token.attrs ?? []).map(([name, value]) =>
    name === value ? ` ${name}` : ` ${name}="${escapeText(String(value)).replaceAll('"', "&quot;")}"`,
  );
  return attributes.join("");
}
