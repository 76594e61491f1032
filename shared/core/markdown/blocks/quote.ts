import { groupMentionPattern, userMentionPattern } from "../inline/mention-syntax.ts";
import type { BlockRule } from "./parser.ts";

const quotedLine = /^ {0,3}> ?/;
const emptyQuotedLine = /^ {0,3}>\s*$/;

/** Block quotes by `>`: from the first quoted line that is not empty to the end of the block. */
export const blockQuote: BlockRule = (parent, blocks, parser) => {
  const [block = ""] = blocks;
  if (parser.isAbsent("quote") || !parser.mayNest) return false;
  if (!block.includes(">")) return parser.noteAbsent("quote");
  parser.budget.takeCharacters(block.length);
  const lines = block.split("\n");
  const start = findFirstQuoted(lines);
  if (start === -1) return parser.noteAbsent("quote");
  blocks.shift();
  parser.readBlocks(parent, [lines.slice(0, start).join("\n")]);
  const quoted = lines.slice(start).map(unquote).join("\n");
  // Always a new element: two quotes with a blank line between them are separate.
  const quote = parent.add("blockquote");
  parser.within("blockquote", () => parser.readText(quote, start === 0 ? quoted : `\n${quoted}`));
  return true;
};

/** The index of the first quoted line, or -1. Empty quoted lines at the end of a block do not count: they are text. */
function findFirstQuoted(lines: string[]): number {
  let first = -1;
  let onlyEmptyFollows = true;
  for (const [index, line] of [...lines.entries()].reverse()) {
    onlyEmptyFollows = line === "" || (onlyEmptyFollows && emptyQuotedLine.test(line));
    if (!onlyEmptyFollows && quotedLine.test(line)) first = index;
  }
  return first;
}

function unquote(line: string): string {
  return line.trim() === ">" ? "" : silenceMentions(line.replace(quotedLine, ""));
}

/** Makes the mentions in a quoted line silent, so that a quote does not notify anyone again. */
function silenceMentions(line: string): string {
  if (!line.includes("@")) return line;
  return line.replace(userMentionPattern(), "@_**$2**").replace(groupMentionPattern(), "@_*$2*");
}
