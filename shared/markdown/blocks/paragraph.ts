import { atomicElement } from "../element.ts";
import { soleFrameMark } from "../marks.ts";
import type { BlockRule } from "./parser.ts";

/** Whatever no other rule wants. Directly in a list item it is the item's text, without a paragraph around it. */
export const paragraph: BlockRule = (parent, blocks, parser) => {
  const block = blocks.shift()!;
  if (block.trim() === "") return true;
  const frame = soleFrameMark(block);
  if (frame !== undefined) {
    parent.children.push(atomicElement("p", {}, frame));
    return true;
  }
  if (!parser.isIn("list")) {
    parent.add("p", {}, block.trimStart());
    return true;
  }
  const previous = parent.lastChild;
  if (previous) previous.tail += `\n${block}`;
  else parent.text = parent.text === "" ? block.trimStart() : `${parent.text}\n${block}`;
  return true;
};
