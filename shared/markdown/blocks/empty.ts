import type { BlockRule } from "./parser.ts";

/** Empty blocks separate; inside of indented code they are part of it. */
export const emptyBlock: BlockRule = (parent, blocks) => {
  const block = blocks[0]!;
  if (block !== "" && !block.startsWith("\n")) return false;
  blocks.shift();
  if (block.length > 1) blocks.unshift(block.slice(1));
  const previous = parent.lastChild;
  if (previous?.tag === "pre") previous.text += block === "" ? "\n\n" : "\n";
  return true;
};
