import { codeBlock } from "./code.ts";
import { type Element, isBlockTag } from "./element.ts";
import type { RenderState } from "./state.ts";

/** Rendering step: replaces indented code with a paragraph that contains only the mark under which its HTML is stored. */
export function replaceIndentedCode(state: RenderState): void {
  for (const element of descendants(state.root)) {
    if (element.tag !== "pre") continue;
    element.tag = "p";
    // Zulip's output has this extra newline after indented code.
    element.text = state.html.store(`${codeBlock(state, element.text)}\n`);
    element.atomic = false;
  }
}

/** Rendering step: puts each block on a line of its own, and a newline after each line break. */
export function addLineBreaks(state: RenderState): void {
  addBlockLineBreaks(state.root);
  for (const element of descendants(state.root)) {
    if (element.tag === "br") element.tail = element.tail.trim() === "" ? "\n" : `\n${element.tail}`;
  }
}

function addBlockLineBreaks(element: Element): void {
  const firstChild = element.children[0];
  if (element.text.trim() === "" && firstChild && isBlockTag(firstChild.tag)) element.text = "\n";
  for (const child of element.children) if (isBlockTag(child.tag)) addBlockLineBreaks(child);
  if (element.tail.trim() === "") element.tail = "\n";
}

/** All descendants of an element, in document order. */
export function* descendants(element: Element): Iterable<Element> {
  const stack = element.children.toReversed();
  for (let current = stack.pop(); current; current = stack.pop()) {
    yield current;
    stack.push(...current.children.toReversed());
  }
}
