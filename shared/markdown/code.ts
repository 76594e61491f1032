import { escapeHtml } from "../html.ts";
import type { RenderInputs } from "./render-inputs.ts";

/** The HTML of a code block, highlighted if its language is known and the budget allows it. */
export function codeBlock(inputs: RenderInputs, text: string, language?: string): string {
  const source = text.replace(/^\n+|\n+$/g, "");
  if (!language) return wrapCode(escapeHtml(source, true), "");
  const name = inputs.languages?.[language] ?? language;
  const isKnown = inputs.languages?.[language] !== undefined;
  // The budget limits the time for hostile code, which takes up to 25 µs per character.
  inputs.codeBudget -= source.length;
  const highlighted = isKnown && inputs.codeBudget >= 0 ? inputs.highlight?.(source, language) : undefined;
  const code = highlighted ?? escapeHtml(source, false);
  return wrapCode(code, ` data-code-language="${escapeHtml(name, true)}"`);
}

function wrapCode(code: string, attribute: string): string {
  return `<div class="codehilite"${attribute}><pre><span></span><code>${code}\n</code></pre></div>`;
}
