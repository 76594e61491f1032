/**
 * One section of a document that `npm run bench` writes. What a section measured is kept in bench/figures.generated.json, from
 * which the documents are written whole: a section is measured anew by its name, and the others stay as they were.
 */
export interface Section<F = any> {
  /** By which `npm run bench -- name` finds it, and under which its figures are kept. */
  name: string;
  document: "docs/cost.md" | "docs/speed.md";
  title: string;
  /** Measures for some minutes at most; what it returns is kept as JSON. Absent: the text follows from others' figures. */
  measure?: () => Promise<F>;
  /** The program that measures it instead, in which case there is no such section until that has run. */
  measuredBy?: string;
  /** What stands below the title, in Markdown, given what this section measured last and what all have. */
  text(figures: F, all: Figures): string;
}

/** What each section measured last, by its name. */
export type Figures = Record<string, any>;

/** A Markdown table; columns after the first hold numbers. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|---|${"--:|".repeat(head.length - 1)}`, ...rows.map(line)].join("\n");
}
