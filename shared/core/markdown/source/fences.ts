import { codeBlock } from "../code.ts";
import type { RenderState } from "../state.ts";
import { blockTex } from "../tex.ts";
import { type FenceLine, maxFenceDepth, readFence } from "./fence-lines.ts";

interface OpenFence {
  /** The line that closes the fence; undefined for the text outside of all fences. */
  fence: string | undefined;
  lines: string[];
  /** Whether fences inside this one are parsed. */
  nests: boolean;
  /** The language of code blocks directly inside this fence that name none. */
  defaultLanguage?: string | undefined;
  /** Turns the lines inside the fence into the text that replaces it. */
  finish(text: string): string;
}

/** Rendering step: replaces fenced code and formulas with marks, and turns quotes and spoilers into block syntax. */
export function replaceFences(state: RenderState): void {
  const { defaultCodeLanguage: defaultLanguage } = state.inputs;
  const outer: OpenFence = { fence: undefined, lines: [], nests: true, defaultLanguage, finish: (text) => text };
  const open: OpenFence[] = [];
  for (const line of state.lines) readLine(state, outer, open, line);
  while (open.length > 0) close(state, outer, open);
  const output = outer.lines;
  if (output.length > 2 && output.at(-2) !== "") output.push("");
  state.lines = output;
}

function readLine(state: RenderState, outer: OpenFence, open: OpenFence[], line: string): void {
  const current = open.at(-1) ?? outer;
  if (line.trimEnd() === current.fence) {
    close(state, outer, open);
    return;
  }
  const fence = current.nests && open.length < maxFenceDepth ? readFence(line) : undefined;
  if (fence) open.push(openFence(state, fence, current.defaultLanguage));
  else current.lines.push(current.nests ? line : line.trimEnd());
}

function openFence(state: RenderState, { fence, language, header }: FenceLine, defaultLanguage?: string): OpenFence {
  const name = (language ?? defaultLanguage)?.toLowerCase();
  if (name === "quote" || name === "quoted")
    return { fence, lines: [], nests: true, defaultLanguage, finish: quoteLines };
  if (name === "spoiler") return { fence, lines: [], nests: true, finish: (text) => spoilerFrame(state, header, text) };
  if (name === "math") {
    return { fence, lines: [], nests: false, finish: (text) => state.html.store(blockTex(state, text)) };
  }
  return { fence, lines: [], nests: false, finish: (text) => state.html.store(codeBlock(state, text, name)) };
}

/** Closes the innermost fence, and adds its result to the lines of the enclosing one. */
function close(state: RenderState, outer: OpenFence, open: OpenFence[]): void {
  const closed = open.pop();
  if (!closed || closed.lines.length === 0) return;
  const text = closed.finish(closed.lines.join("\n"));
  // Each level of quotes lengthens every line.
  state.budget.takeCharacters(text.length);
  (open.at(-1) ?? outer).lines.push("", ...text.split("\n"), "");
}

function quoteLines(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function spoilerFrame(state: RenderState, header: string | undefined, text: string): string {
  return [
    state.html.storeFrame('<div class="spoiler-block"><div class="spoiler-header">'),
    ...(header === undefined ? [] : [header]),
    state.html.storeFrame('</div><div class="spoiler-content" aria-hidden="true">'),
    text,
    state.html.storeFrame("</div></div>"),
  ].join("\n\n");
}

const listItem = /^ *([*+-]|\d\.) +/;

/** Rendering step: inserts a blank line before a list that directly follows text, since the block rules require one. */
export function separateLists(state: RenderState): void {
  const lines = state.lines;
  const separated: string[] = [];
  const fences: { fence: string; isCode: boolean }[] = [];
  let codeFences = 0;
  for (const [index, line] of lines.entries()) {
    separated.push(line);
    const next = lines[index + 1];
    if (next === undefined) break;
    codeFences += trackFence(fences, line);
    if (line !== "" && codeFences === 0 && beginsList(line, next)) separated.push("");
  }
  state.lines = separated;
}

/** Updates the stack of open fences with a line. Returns how many more of them are fences of code. */
function trackFence(open: { fence: string; isCode: boolean }[], line: string): number {
  const fence = readFence(line);
  if (!fence) return 0;
  if (fence.language === undefined && open.at(-1)?.fence === fence.fence) return open.pop()?.isCode ? -1 : 0;
  const isCode = fence.language !== "quote" && fence.language !== "quoted";
  open.push({ fence: fence.fence, isCode });
  return isCode ? 1 : 0;
}

function beginsList(line: string, next: string): boolean {
  const marker = listItem.exec(line)?.[1];
  const nextMarker = listItem.exec(next)?.[1];
  if (nextMarker === undefined) return false;
  // Between a bullet list and a numbered one, too.
  return marker === undefined || (marker.length === 1) !== (nextMarker.length === 1);
}
