/**
 * One section of a document that `npm run bench` writes. Its figures are saved in bench/figures.generated.json, from which the
 * documents are generated, so that single sections can be measured again by name.
 */
export interface Section<F = any> {
  /** The name for `npm run bench -- name`, and the key of its figures. */
  name: string;
  document: "docs/cost.md" | "docs/speed.md";
  title: string;
  /**
   * Measures for at most a few minutes; the result is saved as JSON. Absent if the text follows from other sections' figures.
   */
  measure?: () => Promise<F>;
  /** The section's Markdown below the title, from its own figures and those of all sections. */
  text(figures: F, allFigures: Figures): string;
}

/** The latest figures of each section, by name. */
export type Figures = Record<string, any>;

/** A Markdown table; columns after the first are numbers. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|---|${"--:|".repeat(head.length - 1)}`, ...rows.map(line)].join("\n");
}
