import type { MarkdownIt } from "markdown-it";
import { codeBlock } from "../code.ts";
import { addStep, type RenderState } from "../state.ts";
import { blockTex } from "../tex.ts";
import { type FenceLine, readFence } from "./fence-line.ts";

interface OpenFence {
  /** The line that closes it; none for the text outside of all fences. */
  fence: string | undefined;
  lines: string[];
  /** Whether fences inside it count. */
  nests: boolean;
  /** The language of code directly in it that names none. */
  defaultLanguage?: string | undefined;
  finish(text: string): string;
}

// Beyond this depth a fence is text: each level of quotes lengthens every line in it.
const deepest = 30;

/** Plugin: fenced blocks. Code and formulas leave the text here; quotes and spoilers become what the block rules read. */
export function fences(md: MarkdownIt): void {
  addStep(md, "fences", (state) => {
    const { defaultCodeLanguage: defaultLanguage } = state.facts;
    const outer: OpenFence = { fence: undefined, lines: [], nests: true, defaultLanguage, finish: (text) => text };
    const open: OpenFence[] = [outer];
    for (const line of state.lines) takeLine(state, open, line);
    while (open.length > 1) close(open);
    const output = outer.lines;
    if (output.length > 2 && output.at(-2) !== "") output.push("");
    state.lines = output;
  });
}

function takeLine(state: RenderState, open: OpenFence[], line: string): void {
  const current = open.at(-1)!;
  if (line.trimEnd() === current.fence) {
    close(open);
    return;
  }
  const fence = current.nests && open.length <= deepest ? readFence(line) : undefined;
  if (fence) open.push(opened(state, fence, current.defaultLanguage));
  else current.lines.push(current.nests ? line : line.trimEnd());
}

function opened(state: RenderState, { fence, language, header }: FenceLine, defaultLanguage?: string): OpenFence {
  const name = (language ?? defaultLanguage)?.toLowerCase();
  if (name === "quote" || name === "quoted") return { fence, lines: [], nests: true, defaultLanguage, finish: quoted };
  if (name === "spoiler") return { fence, lines: [], nests: true, finish: (text) => spoiler(state, header, text) };
  if (name === "math") {
    return { fence, lines: [], nests: false, finish: (text) => state.html.store(blockTex(state.facts, text)) };
  }
  return { fence, lines: [], nests: false, finish: (text) => state.html.store(codeBlock(state.facts, text, name)) };
}

function close(open: OpenFence[]): void {
  const { lines, finish } = open.pop()!;
  if (lines.length === 0) return;
  open.at(-1)!.lines.push("", ...finish(lines.join("\n")).split("\n"), "");
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function spoiler(state: RenderState, header: string | undefined, text: string): string {
  return [
    state.html.storeFrame('<div class="spoiler-block"><div class="spoiler-header">'),
    ...(header === undefined ? [] : [header]),
    state.html.storeFrame('</div><div class="spoiler-content" aria-hidden="true">'),
    text,
    state.html.storeFrame("</div></div>"),
  ].join("\n\n");
}
