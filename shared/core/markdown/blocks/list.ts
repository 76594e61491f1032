import { Element } from "../element.ts";
import { type BlockParser, type BlockRule, removeIndent } from "./parser.ts";

interface ListKind {
  tag: "ol" | "ul";
  item: RegExp;
}

const bulleted: ListKind = { tag: "ul", item: /^ ?([*+-]) +([^\n]*)/ };
const numbered: ListKind = { tag: "ol", item: /^ ?(\d+\.) +([^\n]*)/ };
const nestedItem = /^ {2,3}(?:\d+\.|[*+-]) +/;
/** An item that begins with this indentation belongs to the item before. */
const nestedIndent = "  ";

/** A list whose items begin with `*`, `+` or `-`. */
export const bulletList: BlockRule = (parent, blocks, parser) => readList(bulleted, parent, blocks, parser);

/** A list whose items begin with a number and a dot. The first number is the list's start. */
export const numberedList: BlockRule = (parent, blocks, parser) => readList(numbered, parent, blocks, parser);

function readList(kind: ListKind, parent: Element, blocks: string[], parser: BlockParser): boolean {
  const [block = ""] = blocks;
  if (!kind.item.test(block) || !parser.mayNest) return false;
  blocks.shift();
  const { items, start } = splitItems(kind, block);
  const previous = parent.lastChild;
  let list: Element;
  if (previous?.tag === kind.tag && previous.lastChild) {
    // The list continues after a blank line.
    list = previous;
    loosen(previous.lastChild, parser);
    const item = list.add("li");
    const firstItem = items.splice(0, 1);
    parser.within("looselist", () => parser.readBlocks(item, firstItem));
  } else if (parent.tag === "ol" || parent.tag === "ul") {
    list = parent;
  } else {
    list = parent.add(kind.tag, start === "1" ? {} : { start });
  }
  parser.within("list", () => {
    for (const item of items) {
      const target = item.startsWith(nestedIndent) && list.lastChild ? list.lastChild : list.add("li");
      parser.readBlocks(target, [item]);
    }
  });
  return true;
}

/** Makes a list loose: after a blank line, the text of the previous item becomes a paragraph. */
function loosen(item: Element, parser: BlockParser): void {
  wrapText(item, parser);
  const last = item.lastChild;
  if (last?.tail) {
    const text = last.tail.trimStart();
    last.tail = "";
    item.add("p", {}, text);
  }
}

/** Wraps the text before an element's first child in a paragraph. */
function wrapText(item: Element, { budget }: BlockParser): void {
  if (item.text === "") return;
  item.children.unshift(new Element(budget, "p", {}, item.text));
  item.text = "";
}

/** Splits a block into the texts of items, and nested items with their indentation. `start` is the number of the first item. */
function splitItems(kind: ListKind, block: string): { items: string[]; start: string } {
  const items: string[] = [];
  let start = "1";
  for (const line of block.split("\n")) {
    const match = kind.item.exec(line);
    if (match) {
      const [, marker = "", text = ""] = match;
      if (items.length === 0 && kind.tag === "ol") start = marker.slice(0, -1);
      items.push(text);
    } else if (nestedItem.test(line) && !items.at(-1)?.startsWith(nestedIndent)) {
      items.push(line);
    } else {
      items[items.length - 1] += `\n${line}`;
    }
  }
  return { items, start };
}

const levelSpaces = 2;
const isList = (element: Element | undefined): boolean => element?.tag === "ul" || element?.tag === "ol";

/** Indented blocks after a list item belong to it. */
export const listIndent: BlockRule = (parent, blocks, parser) => {
  const inItem = parent.tag === "li";
  const [indented = ""] = blocks;
  if (!indented.startsWith(" ".repeat(levelSpaces)) || parser.isIn("detabbed") || !parser.mayNest) return false;
  if (!inItem && !isList(parent.lastChild)) return false;
  blocks.shift();
  const { level, owner } = findOwner(indented, parent, parser);
  const block = removeIndent(indented, level * levelSpaces);
  parser.within("detabbed", () => {
    const item = owner.lastChild;
    if (inItem) parser.readBlocks(parent.lastChild && isList(parent.lastChild) ? parent.lastChild : parent, [block]);
    else if (owner.tag === "li") parser.readBlocks(owner, [block]);
    else if (item?.tag === "li") {
      // The list turns out to be loose, so the item's text becomes a paragraph too.
      wrapText(item, parser);
      parser.readText(item, block);
    } else parser.readBlocks(owner.add("li"), [block]);
  });
  return true;
};

/** Finds the element to which an indented block belongs: descends through the last items to the depth of the indentation. */
function findOwner(block: string, parent: Element, parser: BlockParser): { level: number; owner: Element } {
  const indentLevel = Math.floor(block.search(/[^ ]|$/) / levelSpaces);
  let level = parser.isIn("list") ? 1 : 0;
  let owner = parent;
  while (indentLevel > level) {
    const child = owner.lastChild;
    if (!child || !(isList(child) || child.tag === "li")) break;
    if (isList(child)) level += 1;
    owner = child;
  }
  return { level, owner };
}
