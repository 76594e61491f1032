import { type BlockRule, looseDetab } from "./parser.ts";

// A blank must follow the marks, so that `#channel` is no heading. It may be the line's end.
const marks = /(?:^|\n)(#{1,6})\s/g;

/** Headings: one to six `#` and a blank. */
export const heading: BlockRule = (parent, blocks, parser) => {
  const block = blocks[0]!;
  if (!block.includes("#")) return false;
  marks.lastIndex = 0;
  for (let match = marks.exec(block); match; match = marks.exec(block)) {
    const start = marks.lastIndex;
    const newline = block.indexOf("\n", start);
    const end = newline === -1 ? block.length : newline;
    const text = headingText(block.slice(start, end));
    if (text === undefined) {
      marks.lastIndex = match.index + 1;
      continue;
    }
    blocks.shift();
    if (match.index > 0) parser.readBlocks(parent, [block.slice(0, match.index)]);
    parent.add(`h${match[1]!.length}`, {}, text.trim());
    const rest = block.slice(end + 1);
    if (rest !== "") blocks.unshift(parser.isIn("looselist") ? looseDetab(rest, 4) : rest);
    return true;
  }
  return false;
};

/** The heading without the `#` that may close it; a backslash protects the character after it, also from being one. */
function headingText(line: string): string | undefined {
  let protectedEnd = 0;
  for (let at = line.indexOf("\\"); at !== -1; at = line.indexOf("\\", at + 2)) {
    if (at + 1 >= line.length) return undefined;
    protectedEnd = at + 2;
  }
  let end = line.length;
  while (end > protectedEnd && line[end - 1] === "#") end -= 1;
  return line.slice(0, end);
}
