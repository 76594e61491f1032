import { escapeHtml } from "../../base/html.ts";
import { trimmedOf } from "./source/trim.ts";
import type { RenderState } from "./state.ts";

/** The HTML of a code block, highlighted if its language is known and the budget allows it. */
export function codeBlock({ inputs, budget }: RenderState, text: string, language?: string): string {
  const source = trimmedOf(text, "\n");
  if (!language) return wrapCode(escapeHtml(source, true), "");
  const name = inputs.languages?.[language] ?? language;
  const isKnown = inputs.languages?.[language] !== undefined;
  const mayHighlight = budget.takeDecoratedCharacters("code", source.length) && isKnown;
  const highlighted = mayHighlight ? inputs.highlight?.(source, language) : undefined;
  const code = highlighted && budget.takeDecoration("code", highlighted) ? highlighted : escapeHtml(source, false);
  return wrapCode(code, ` data-code-language="${escapeHtml(name, true)}"`);
}

function wrapCode(code: string, attribute: string): string {
  return `<div class="codehilite"${attribute}><pre><span></span><code>${code}\n</code></pre></div>`;
}
