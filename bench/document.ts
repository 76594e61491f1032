import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { latencyInWords } from "./latency.ts";
import { billOfFifty } from "./month.ts";
import { pricesOf } from "./prices.ts";
import type { Figures, Section } from "./section.ts";

const root = resolve(import.meta.dirname, "..");
const figuresFile = resolve(root, "bench/figures.generated.json");

export const readFigures = (): Figures =>
  existsSync(figuresFile) ? JSON.parse(readFileSync(figuresFile, "utf8")) : {};

const openings: Record<Section["document"], string> = {
  "docs/cost.md": `# What Skein costs

Counted, not estimated: \`npm run bench\` runs the fleet on this machine, adds up the units that the table reports for each
request (\`ReturnConsumedCapacity\`) and writes this page. Prices are AWS's public ones for us-east-1 on ${pricesOf}, without
any free allowance.`,
  "docs/speed.md": `# How fast Skein is

Measured by \`npm run bench\` on one machine, which also wrote this page. Results vary between machines and between runs:
things that are compared ran side by side in the same minute, and their ratio is what counts.`,
};

/** Renders a document from the figures; sections that were never measured are omitted. */
export function documentOf(name: Section["document"], sections: readonly Section[], all: Figures): string {
  const parts = sections
    .filter(
      ({ document, measure, measuredBy, name: section }) =>
        document === name && (section in all || (!measure && !measuredBy)),
    )
    .map((section) => `## ${section.title}\n\n${section.text(all[section.name], all).trim()}`);
  return `${[openings[name], ...parts].join("\n\n")}\n`;
}

/** Updates the README's bill and latency from the figures. */
const withFigures = (readme: string, all: Figures) => withLatency(withBill(readme, all), all);

function withLatency(readme: string, all: Figures): string {
  const words = latencyInWords(all.latency ?? []);
  return words ? readme.replace(/(?<=^\| from sending to receiving \| ).*(?= \(\[docs)/m, () => words) : readme;
}

function withBill(readme: string, all: Figures): string {
  const bill = billOfFifty(all);
  if (!bill) return readme;
  const words = `${bill.paid} in an AWS account of its own, after the allowances that do not expire; ${bill.total} at list prices, ${bill.asleep} of it even if nobody is active`;
  return readme.replace(/(?<=^\| dollars a month for 50 people.* \| )\$.*(?= \(\[docs)/m, () => words);
}

/** Saves the figures, and writes both documents and the README's rows of figures. */
export function writeDocuments(sections: readonly Section[], all: Figures): void {
  writeFileSync(figuresFile, `${JSON.stringify(all, null, 1)}\n`);
  for (const name of Object.keys(openings) as Section["document"][])
    writeFileSync(resolve(root, name), documentOf(name, sections, all));
  const readme = resolve(root, "README.md");
  writeFileSync(readme, withFigures(readFileSync(readme, "utf8"), all));
}
