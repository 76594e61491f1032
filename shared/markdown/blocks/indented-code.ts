import { atomicElement } from "../element.ts";
import type { BlockRule } from "./parser.ts";

const indent = "    ";

/** Code indented by four spaces; kept as a `pre` element until the code step makes its markup. */
export const indentedCode: BlockRule = (parent, blocks) => {
  if (!blocks[0]!.startsWith(indent)) return false;
  const lines = blocks.shift()!.split("\n");
  let end = lines.findIndex((line) => !line.startsWith(indent) && line.trim() !== "");
  if (end === -1) end = lines.length;
  const code = lines
    .slice(0, end)
    .map((line) => line.slice(indent.length))
    .join("\n")
    .trimEnd();
  const previous = parent.lastChild;
  if (previous?.tag === "pre") previous.text += `\n${code}\n`;
  else parent.children.push(atomicElement("pre", {}, `${code}\n`));
  if (end < lines.length) blocks.unshift(lines.slice(end).join("\n"));
  return true;
};
