import type { Element } from "../element.ts";
import type { BlockRule } from "./parser.ts";

const closingPipe = /(?<!\\)(?:\\\\)*\|$/;

/** Tables: a header row, a row of dashes and pipes, and rows. */
export const table: BlockRule = (parent, blocks) => {
  const rows = blocks[0]!.includes("|") ? blocks[0]!.split("\n").map((row) => row.replace(/^ +| +$/g, "")) : [];
  if (rows.length < 2) return false;
  const bordered = rows[0]!.startsWith("|") || closingPipe.test(rows[0]!);
  const header = splitRow(rows[0]!, bordered);
  if (
    header.length === 1 &&
    !(bordered && rows.slice(1).every((row) => row.startsWith("|") || closingPipe.test(row)))
  ) {
    return false;
  }
  const rule = splitRow(rows[1]!, bordered);
  if (rule.length !== header.length || !/^[|:\- ]*$/.test(rule.join(""))) return false;
  blocks.shift();
  const alignments = rule.map(alignmentOf);
  const element = parent.add("table");
  addRow(element.add("thead"), "th", header, alignments);
  const body = element.add("tbody");
  if (rows.length === 2) addRow(body, "td", [], alignments.map(noAlignment));
  for (const row of rows.slice(2)) addRow(body, "td", splitRow(row, bordered), alignments);
  return true;
};

function addRow(parent: Element, tag: string, cells: string[], alignments: (string | undefined)[]): void {
  const row = parent.add("tr");
  for (const [index, alignment] of alignments.entries()) {
    const text = (cells[index] ?? "").replace(/^ +| +$/g, "");
    row.add(tag, alignment ? { style: `text-align: ${alignment};` } : {}, text);
  }
}

const noAlignment = (): undefined => undefined;

function alignmentOf(cell: string): string | undefined {
  const text = cell.trim();
  if (text.startsWith(":")) return text.endsWith(":") ? "center" : "left";
  return text.endsWith(":") ? "right" : undefined;
}

function splitRow(row: string, bordered: boolean): string[] {
  if (!bordered) return splitAtPipes(row);
  return splitAtPipes((row.startsWith("|") ? row.slice(1) : row).replace(closingPipe, ""));
}

/** Splits at pipes, but not at `\|` and not inside of `code`. */
function splitAtPipes(row: string): string[] {
  const ticks: { start: number; end: number; size: number; escaped: boolean }[] = [];
  const pipes: number[] = [];
  for (const match of row.matchAll(/\\\\|(\\`+)|(`+)|\\\||(\|)/g)) {
    const start = match.index;
    if (match[1]) ticks.push({ start, end: start + match[1].length - 1, size: match[1].length - 1, escaped: true });
    else if (match[2]) ticks.push({ start, end: start + match[2].length - 1, size: match[2].length, escaped: false });
    else if (match[3]) pipes.push(start);
  }
  const code: [number, number][] = [];
  for (let index = 0; index < ticks.length; index += 1) {
    const size = ticks[index]!.size - (ticks[index]!.escaped ? 1 : 0);
    let closing = index + 1;
    while (closing < ticks.length && (size === 0 || ticks[closing]!.size !== size)) closing += 1;
    if (closing >= ticks.length) continue;
    code.push([ticks[index]!.start, ticks[closing]!.end]);
    index = closing;
  }
  const cells: string[] = [];
  let from = 0;
  let region = 0;
  for (const pipe of pipes) {
    while (region < code.length && code[region]![1] < pipe) region += 1;
    if (region < code.length && code[region]![0] <= pipe) continue;
    cells.push(row.slice(from, pipe));
    from = pipe + 1;
  }
  cells.push(row.slice(from));
  return cells;
}
