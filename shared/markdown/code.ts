import { escapeHtml } from "../html.ts";
import type { RenderFacts } from "./facts.ts";

/** The HTML of a code block, highlighted if its language is known. */
export function codeBlock(facts: RenderFacts, text: string, language?: string): string {
  const source = text.replace(/^\n+|\n+$/g, "");
  if (!language) return frame(escapeHtml(source, true), "");
  const name = facts.languages?.[language] ?? language;
  const known = facts.languages?.[language] !== undefined;
  // The budget limits the time for hostile code, which costs up to 25 µs a character.
  facts.codeBudget -= source.length;
  const highlighted = known && facts.codeBudget >= 0 ? facts.highlight?.(source, language) : undefined;
  const code = highlighted ?? escapeHtml(source, false);
  return frame(code, ` data-code-language="${escapeHtml(name, true)}"`);
}

function frame(code: string, attribute: string): string {
  return `<div class="codehilite"${attribute}><pre><span></span><code>${code}\n</code></pre></div>`;
}
