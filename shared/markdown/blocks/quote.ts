import { groupMentionPattern, userMentionPattern } from "../inline/mention-syntax.ts";
import type { BlockRule } from "./parser.ts";

const quotedLine = /^ {0,3}> ?/;
const emptyQuotedLine = /^ {0,3}>\s*$/;

/** Block quotes by `>`: from the first quoted line that is not empty to the end of the block. */
export const blockQuote: BlockRule = (parent, blocks, parser) => {
  const [block = ""] = blocks;
  if (!block.includes(">") || !parser.mayNest) return false;
  const lines = block.split("\n");
  const first = firstQuoted(lines);
  if (first === -1) return false;
  blocks.shift();
  parser.readBlocks(parent, [lines.slice(0, first).join("\n")]);
  const quoted = lines.slice(first).map(unquote).join("\n");
  // Always a new element: two quotes with a blank line between them are separate.
  const quote = parent.add("blockquote");
  parser.within("blockquote", () => parser.readText(quote, first === 0 ? quoted : `\n${quoted}`));
  return true;
};

/** The index of the first quoted line, or -1. Empty quoted lines at the end of a block do not count: they are text. */
function firstQuoted(lines: string[]): number {
  let first = -1;
  let nothingFollows = true;
  for (const [index, line] of [...lines.entries()].reverse()) {
    nothingFollows = line === "" || (nothingFollows && emptyQuotedLine.test(line));
    if (!nothingFollows && quotedLine.test(line)) first = index;
  }
  return first;
}

function unquote(line: string): string {
  return line.trim() === ">" ? "" : silenceMentions(line.replace(quotedLine, ""));
}

/** Makes the mentions in a quoted line silent, so that a quote does not notify anyone again. */
export function silenceMentions(line: string): string {
  if (!line.includes("@")) return line;
  return line.replace(userMentionPattern(), "@_**$2**").replace(groupMentionPattern(), "@_*$2*");
}
