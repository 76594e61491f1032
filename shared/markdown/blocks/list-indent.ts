import type { Element } from "../element.ts";
import { wrapText } from "./list.ts";
import { type BlockParser, type BlockRule, looseDetab } from "./parser.ts";

const tabLength = 2;
const isList = (element: Element | undefined): boolean => element?.tag === "ul" || element?.tag === "ol";

/** Indented blocks after a list item belong to it. */
export const listIndent: BlockRule = (parent, blocks, parser) => {
  const inItem = parent.tag === "li";
  if (!blocks[0]!.startsWith(" ".repeat(tabLength)) || parser.isIn("detabbed") || !parser.mayNest) return false;
  if (!inItem && !isList(parent.lastChild)) return false;
  const indented = blocks.shift()!;
  const { level, owner } = ownerOf(indented, parent, parser);
  const block = looseDetab(indented, level * tabLength);
  parser.within("detabbed", () => {
    const item = owner.lastChild;
    if (inItem) parser.readBlocks(isList(parent.lastChild) ? parent.lastChild! : parent, [block]);
    else if (owner.tag === "li") parser.readBlocks(owner, [block]);
    else if (item?.tag === "li") {
      // A list that turns out to have paragraphs: what looked like a tight item's text is one too.
      wrapText(item);
      parser.readText(item, block);
    } else parser.readBlocks(owner.add("li"), [block]);
  });
  return true;
};

/** Goes down the last items as far as the indentation reaches. */
function ownerOf(block: string, parent: Element, parser: BlockParser): { level: number; owner: Element } {
  const indent = Math.floor(/^ */.exec(block)![0].length / tabLength);
  let level = parser.isIn("list") ? 1 : 0;
  let owner = parent;
  while (indent > level) {
    const child = owner.lastChild;
    if (!child || !(isList(child) || child.tag === "li")) break;
    if (isList(child)) level += 1;
    owner = child;
  }
  return { level, owner };
}
