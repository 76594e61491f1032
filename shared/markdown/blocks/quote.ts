import { groupMention, userMention } from "../inline/mention-syntax.ts";
import type { BlockRule } from "./parser.ts";

const quotedLine = /^ {0,3}> ?/;
const emptyQuotedLine = /^ {0,3}>\s*$/;

/** Quotes by `>`: from the first quoted line with something to quote to the end of the block. */
export const blockQuote: BlockRule = (parent, blocks, parser) => {
  const [block = ""] = blocks;
  if (!block.includes(">") || !parser.mayNest) return false;
  const lines = block.split("\n");
  const first = firstQuoted(lines);
  if (first === -1) return false;
  blocks.shift();
  parser.readBlocks(parent, [lines.slice(0, first).join("\n")]);
  const quoted = lines.slice(first).map(unquote).join("\n");
  // Two quotes with a blank line between them stay two.
  const quote = parent.add("blockquote");
  parser.within("blockquote", () => parser.readText(quote, first === 0 ? quoted : `\n${quoted}`));
  return true;
};

/** A run of empty quoted lines at the end of a block quotes nothing and is text. */
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

/** Makes the mentions in a quoted line silent: quoting someone is not calling them again. */
export function silenceMentions(line: string): string {
  if (!line.includes("@")) return line;
  return line.replace(userMention(), "@_**$2**").replace(groupMention(), "@_*$2*");
}
