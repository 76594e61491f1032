import { atomicElement } from "../element.ts";
import { soleFrameMark } from "../marks.ts";
import { type BlockRule, removeIndent } from "./parser.ts";

/** Drops empty blocks, except after indented code, to which they belong. */
export const emptyBlock: BlockRule = (parent, blocks) => {
  const [block = ""] = blocks;
  if (block !== "" && !block.startsWith("\n")) return false;
  blocks.shift();
  if (block.length > 1) blocks.unshift(block.slice(1));
  const previous = parent.lastChild;
  if (previous?.tag === "pre") previous.text += block === "" ? "\n\n" : "\n";
  return true;
};

const indent = "    ";

/** Code indented by four spaces. It stays a `pre` element until `replaceIndentedCode` replaces it. */
export const indentedCode: BlockRule = (parent, blocks, { budget }) => {
  const [block = ""] = blocks;
  if (!block.startsWith(indent)) return false;
  blocks.shift();
  const end = endOfIndented(block);
  const code = block
    .slice(0, end)
    .split("\n")
    .map((line) => line.slice(indent.length))
    .join("\n")
    .trimEnd();
  const previous = parent.lastChild;
  if (previous?.tag === "pre") previous.text += `\n${code}\n`;
  else parent.children.push(atomicElement(budget, "pre", {}, `${code}\n`));
  if (end < block.length) blocks.unshift(block.slice(end + 1));
  return true;
};

/** The index of the line break before the first line that is neither indented nor empty, or the block's length. */
function endOfIndented(block: string): number {
  let end = 0;
  for (let start = 0; start < block.length; start = end + 1) {
    const newline = block.indexOf("\n", start);
    const lineEnd = newline === -1 ? block.length : newline;
    if (!block.startsWith(indent, start) && block.slice(start, lineEnd).trim() !== "") return end;
    end = lineEnd;
  }
  return block.length;
}

// The lookahead with its back-reference emulates an atomic group, which prevents catastrophic backtracking.
const ruleLine = /^ {0,3}(?=((?:-+ {0,2}){3,}|(?:_+ {0,2}){3,}|(?:\*+ {0,2}){3,}))\1 *$/m;

/** A horizontal rule: three or more of `-`, `_` or `*` on a line. */
export const horizontalRule: BlockRule = (parent, blocks, parser) => {
  const [block = ""] = blocks;
  if (parser.isAbsent("rule")) return false;
  const match = ruleLine.exec(block);
  parser.budget.takeCharacters(match ? match.index + match[0].length : block.length);
  if (!match) return parser.noteAbsent("rule");
  blocks.shift();
  const before = block.slice(0, match.index).replace(/\n+$/, "");
  if (before !== "") parser.readBlocks(parent, [before]);
  parent.add("hr");
  const after = block.slice(match.index + match[0].length).replace(/^\n+/, "");
  if (after !== "") blocks.unshift(after);
  return true;
};

/** Text that no other rule matches. Directly in a list item, it is the item's text without a paragraph. */
export const paragraph: BlockRule = (parent, blocks, parser) => {
  const block = blocks.shift() ?? "";
  if (block.trim() === "") return true;
  // The placeholder of HTML around other blocks (marks.ts) stays alone in its paragraph.
  const frame = soleFrameMark(block);
  if (frame !== undefined) {
    parent.children.push(atomicElement(parser.budget, "p", {}, frame));
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

// Whitespace (or the line's end) must follow the `#`s, so that `#channel` is no heading.
const headingMarker = /(?:^|\n)(#{1,6})\s/g;

/** Headings: one to six `#` and whitespace. */
export const heading: BlockRule = (parent, blocks, parser) => {
  const [block = ""] = blocks;
  if (parser.isAbsent("heading")) return false;
  if (!block.includes("#")) return parser.noteAbsent("heading");
  headingMarker.lastIndex = 0;
  for (let match = headingMarker.exec(block); match; match = headingMarker.exec(block)) {
    const start = headingMarker.lastIndex;
    const newline = block.indexOf("\n", start);
    const end = newline === -1 ? block.length : newline;
    const text = headingText(block.slice(start, end));
    if (text === undefined) {
      headingMarker.lastIndex = match.index + 1;
      continue;
    }
    blocks.shift();
    parser.budget.takeCharacters(end);
    if (match.index > 0) parser.readBlocks(parent, [block.slice(0, match.index)]);
    parent.add(`h${match[1]?.length}`, {}, text.trim());
    const rest = block.slice(end + 1);
    if (rest !== "") blocks.unshift(parser.isIn("looselist") ? removeIndent(rest, 4) : rest);
    return true;
  }
  parser.budget.takeCharacters(block.length);
  return parser.noteAbsent("heading");
};

/**
 * The heading without the `#` at its end, if any. A backslash escapes a `#` that follows it. Undefined if the line ends in an
 * unescaped backslash: then it is no heading.
 */
function headingText(line: string): string | undefined {
  let protectedEnd = 0;
  for (let index = line.indexOf("\\"); index !== -1; index = line.indexOf("\\", index + 2)) {
    if (index + 1 >= line.length) return undefined;
    protectedEnd = index + 2;
  }
  let end = line.length;
  while (end > protectedEnd && line[end - 1] === "#") end -= 1;
  return line.slice(0, end);
}
