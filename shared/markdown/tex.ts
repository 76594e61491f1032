import { escapeHtml } from "../html.ts";
import type { RenderFacts } from "./facts.ts";

/** The HTML of a `math` block: one displayed formula per paragraph, or the source where it is not a formula. */
export function blockTex(facts: RenderFacts, text: string): string {
  return text
    .split("\n\n")
    .map((formula) => renderTex(facts, formula, true) ?? `<span class="tex-error">${escapeHtml(formula, false)}</span>`)
    .join("\n\n");
}

/** The HTML of one formula, or undefined if it is not one. Clients style the class names of KaTeX 0.16; 0.19 renamed them. */
export function renderTex(facts: RenderFacts, formula: string, displayMode: boolean): string | undefined {
  if (!facts.katex) return undefined;
  facts.texBudget -= formula.length;
  // Typesetting costs some 20 µs a character; a text is not allowed to spend more than a fraction of a second on it.
  if (facts.texBudget < 0) return undefined;
  try {
    const html = facts.katex.renderToString(formula, {
      displayMode,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
    // Attributes are in quotation marks of the other kind; the service writes these plain.
    return html.replaceAll("&#x27;", "'");
  } catch {
    return undefined;
  }
}
