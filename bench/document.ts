import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { billsInShort } from "./month/month.ts";
import { pricesDate } from "./month/prices.ts";
import type { Figures, Section } from "./section.ts";

const root = resolve(import.meta.dirname, "..");
const figuresFile = resolve(root, "bench/figures.generated.json");

export const readFigures = (): Figures =>
  existsSync(figuresFile) ? JSON.parse(readFileSync(figuresFile, "utf8")) : {};

const introductions: Record<Section["document"], string> = {
  "docs/cost.md": `# What Skein costs

\`npm run bench\` writes this page: it runs the fleet on one machine and counts the capacity units that DynamoDB would report
(\`ReturnConsumedCapacity\`). Prices are AWS's public prices for us-east-1 on ${pricesDate}, before any free allowance.`,
  "docs/speed.md": `# How fast Skein is

\`npm run bench\` measures these figures on one machine and writes this page.
Figures that are compared were measured side by side within the same minute.`,
};

/** Renders a document from the figures; sections that were never measured are omitted. */
export function documentOf(name: Section["document"], sections: readonly Section[], figures: Figures): string {
  const renderedSections = sections
    .filter(({ document, measure, name: section }) => document === name && (section in figures || !measure))
    .map((section) => `## ${section.title}\n\n${section.text(figures[section.name], figures).trim()}`);
  return `${[introductions[name], ...renderedSections].join("\n\n")}\n`;
}

/** The README with its table of bills made from the figures. */
export function withFigures(readme: string, figures: Figures): string {
  const rows = billsInShort(figures) ?? "";
  // The table is found by its first line.
  const [head = ""] = rows.split("\n");
  const [before, after] = readme.split(`${head}\n`);
  return after === undefined ? readme : `${before}${rows}\n${after.replace(/^(\|.*\n)*/, "")}`;
}

/** Saves the figures, and writes both documents and the README's table. */
export function writeDocuments(sections: readonly Section[], figures: Figures): void {
  writeFileSync(figuresFile, `${JSON.stringify(figures, null, 1)}\n`);
  for (const name of Object.keys(introductions) as Section["document"][])
    writeFileSync(resolve(root, name), documentOf(name, sections, figures));
  const readme = resolve(root, "README.md");
  writeFileSync(readme, withFigures(readFileSync(readme, "utf8"), figures));
}
