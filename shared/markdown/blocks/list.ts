import { Element } from "../element.ts";
import type { BlockParser, BlockRule } from "./parser.ts";

interface ListKind {
  tag: "ol" | "ul";
  item: RegExp;
}

const bulleted: ListKind = { tag: "ul", item: /^ ?([*+-]) +([^\n]*)/ };
const numbered: ListKind = { tag: "ol", item: /^ ?(\d+\.) +([^\n]*)/ };
const nestedItem = /^ {2,3}(?:\d+\.|[*+-]) +/;
const nesting = "  ";

/** A list whose items begin with `*`, `+` or `-`. */
export const bulletList: BlockRule = (parent, blocks, parser) => readList(bulleted, parent, blocks, parser);

/** A list whose items begin with a number and a dot; the first number counts. */
export const numberedList: BlockRule = (parent, blocks, parser) => readList(numbered, parent, blocks, parser);

function readList(kind: ListKind, parent: Element, blocks: string[], parser: BlockParser): boolean {
  if (!kind.item.test(blocks[0]!) || !parser.mayNest) return false;
  const { items, start } = splitItems(kind, blocks.shift()!);
  const previous = parent.lastChild;
  let list: Element;
  if (previous?.tag === kind.tag && previous.lastChild) {
    list = previous;
    loosen(previous.lastChild);
    const item = list.add("li");
    const first = items.shift()!;
    parser.within("looselist", () => parser.readBlocks(item, [first]));
  } else if (parent.tag === "ol" || parent.tag === "ul") {
    list = parent;
  } else {
    list = parent.add(kind.tag, start === "1" ? {} : { start });
  }
  parser.within("list", () => {
    for (const item of items) {
      const into = item.startsWith(nesting) && list.lastChild ? list.lastChild : list.add("li");
      parser.readBlocks(into, [item]);
    }
  });
  return true;
}

/** A blank line before an item: the text of the item before becomes a paragraph. */
function loosen(item: Element): void {
  wrapText(item);
  const last = item.lastChild;
  if (last?.tail) {
    const text = last.tail.trimStart();
    last.tail = "";
    item.add("p", {}, text);
  }
}

/** Makes the text at an element's beginning a paragraph. */
export function wrapText(item: Element): void {
  if (item.text === "") return;
  item.children.unshift(new Element("p", {}, item.text));
  item.text = "";
}

function splitItems(kind: ListKind, block: string): { items: string[]; start: string } {
  const items: string[] = [];
  let start = "1";
  for (const line of block.split("\n")) {
    const match = kind.item.exec(line);
    if (match) {
      if (items.length === 0 && kind.tag === "ol") start = match[1]!.slice(0, -1);
      items.push(match[2]!);
    } else if (nestedItem.test(line) && !items.at(-1)!.startsWith(nesting)) {
      items.push(line);
    } else {
      items[items.length - 1] += `\n${line}`;
    }
  }
  return { items, start };
}
