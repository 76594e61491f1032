import { escapeHtml } from "../html.ts";
import type { RenderInputs } from "./render-inputs.ts";

/** The HTML of a `math` block: a displayed formula for each paragraph, or the source of an invalid one. */
export function blockTex(inputs: RenderInputs, text: string): string {
  return text
    .split("\n\n")
    .map(
      (formula) => renderTex(inputs, formula, true) ?? `<span class="tex-error">${escapeHtml(formula, false)}</span>`,
    )
    .join("\n\n");
}

/**
 * The HTML of a formula; undefined if it is invalid or the budget is used up. Clients style the class names of KaTeX 0.16,
 * which 0.19 renamed.
 */
export function renderTex(inputs: RenderInputs, formula: string, displayMode: boolean): string | undefined {
  if (!inputs.katex) return undefined;
  inputs.texBudget -= formula.length;
  // Typesetting takes about 20 µs per character. The budget limits it to a fraction of a second for each message.
  if (inputs.texBudget < 0) return undefined;
  try {
    const html = inputs.katex.renderToString(formula, {
      displayMode,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
    // Like Zulip, does not escape apostrophes, which is safe because attributes are in double quotes.
    return html.replaceAll("&#x27;", "'");
  } catch {
    return undefined;
  }
}
