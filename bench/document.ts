import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { billOfFifty } from "./month/month.ts";
import { pricesOf } from "./month/prices.ts";
import type { Figures, Section } from "./section.ts";
import { latencyInWords } from "./waiting/latency.ts";

const root = resolve(import.meta.dirname, "..");
const figuresFile = resolve(root, "bench/figures.generated.json");

export const readFigures = (): Figures =>
  existsSync(figuresFile) ? JSON.parse(readFileSync(figuresFile, "utf8")) : {};

const openings: Record<Section["document"], string> = {
  "docs/cost.md": `# What Skein costs

These figures are counted, not estimated: \`npm run bench\` runs the fleet on one machine, adds up the capacity units that
DynamoDB reports for each request (\`ReturnConsumedCapacity\`), and writes this page. Prices are AWS's public prices for us-east-1
on ${pricesOf}, before any free allowance.`,
  "docs/speed.md": `# How fast Skein is

\`npm run bench\` measures these figures on one machine and writes this page. Results vary between machines and between runs, so
anything that is compared ran side by side within the same minute: look at the ratios rather than at absolute numbers.`,
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
  const words = `${bill.paid} in an AWS account of its own, after the permanent free tier; ${bill.total} at list prices, of which ${bill.idle} is due even if nobody is active`;
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
