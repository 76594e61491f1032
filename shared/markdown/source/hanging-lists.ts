import type { MarkdownIt } from "markdown-it";
import { addStep } from "../state.ts";
import { readFence } from "./fence-line.ts";

const listItem = /^ *([*+-]|\d\.) +/;

/** Plugin: a list may follow a line of text directly; a blank line between them makes it one for the block rules. */
export function hangingLists(md: MarkdownIt): void {
  addStep(md, "hanging_lists", (state) => {
    const lines = state.lines;
    const separated: string[] = [];
    const fences: { fence: string; isCode: boolean }[] = [];
    for (const [index, line] of lines.entries()) {
      separated.push(line);
      const next = lines[index + 1];
      if (next === undefined) break;
      followFence(fences, line);
      if (line !== "" && !fences.some((fence) => fence.isCode) && beginsList(line, next)) separated.push("");
    }
    state.lines = separated;
  });
}

function followFence(open: { fence: string; isCode: boolean }[], line: string): void {
  const fence = readFence(line);
  if (!fence) return;
  if (fence.language === undefined && open.at(-1)?.fence === fence.fence) open.pop();
  else open.push({ fence: fence.fence, isCode: fence.language !== "quote" && fence.language !== "quoted" });
}

function beginsList(line: string, next: string): boolean {
  const item = listItem.exec(line);
  const nextItem = listItem.exec(next);
  if (!nextItem) return false;
  return !item || (item[1]!.length === 1) !== (nextItem[1]!.length === 1);
}
