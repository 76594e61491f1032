import { withoutMarkCharacters } from "../marks.ts";
import type { RenderState } from "../state.ts";

const tabLength = 4;

/** Rendering step: expands tabs, empties blank lines, and removes the control characters that enclose marks. */
export function normalizeWhitespace(state: RenderState): void {
  const lines = state.lines.map((line) => expandTabs(withoutMarkCharacters(line)));
  state.lines = [...lines.map((line, index) => (index > 0 && /^ +$/.test(line) ? "" : line)), "", ""];
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let column = 0;
  let expanded = "";
  for (const character of line) {
    const width = character === "\t" ? tabLength - (column % tabLength) : 1;
    expanded += character === "\t" ? " ".repeat(width) : character;
    column += width;
  }
  return expanded;
}
