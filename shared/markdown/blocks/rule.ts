import type { BlockRule } from "./parser.ts";

// The lookahead with its back-reference keeps a failed line from being tried again in every other split.
const line = /^ {0,3}(?=((?:-+ {0,2}){3,}|(?:_+ {0,2}){3,}|(?:\*+ {0,2}){3,}))\1 *$/m;

/** A horizontal rule: three or more of `-`, `_` or `*` on a line. */
export const horizontalRule: BlockRule = (parent, blocks, parser) => {
  const block = blocks[0]!;
  const match = line.exec(block);
  if (!match) return false;
  blocks.shift();
  const before = block.slice(0, match.index).replace(/\n+$/, "");
  if (before !== "") parser.readBlocks(parent, [before]);
  parent.add("hr");
  const after = block.slice(match.index + match[0].length).replace(/^\n+/, "");
  if (after !== "") blocks.unshift(after);
  return true;
};
