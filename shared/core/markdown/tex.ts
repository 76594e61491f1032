import { escapeHtml } from "../../base/html.ts";
import type { RenderState } from "./state.ts";

/** The HTML of a `math` block: a displayed formula for each paragraph, or the source of an invalid one. */
export function blockTex(state: RenderState, text: string): string {
  return text
    .split("\n\n")
    .map((formula) => renderTex(state, formula, true) ?? `<span class="tex-error">${escapeHtml(formula, false)}</span>`)
    .join("\n\n");
}

/** How many macros a formula may expand, of its own and of KaTeX. */
const maxExpansions = 200;

/** The HTML that KaTeX makes of each character that it shows, at least. */
const minHtmlPerCharacter = 14;

const macroDefinition = /\\(?:[gex]?def|(?:re)?newcommand|providecommand|let|futurelet)(?![a-zA-Z])/;

/**
 * The HTML of a formula; undefined if it is invalid or the budget is used up. Clients style the class names of KaTeX 0.16,
 * which 0.19 renamed.
 */
export function renderTex({ inputs, budget }: RenderState, formula: string, displayMode: boolean): string | undefined {
  if (!inputs.katex) return undefined;
  const left = budget.decoratedCharactersLeft("formula");
  const definesMacros = macroDefinition.test(formula);
  if (definesMacros && repeatsArgument(formula)) return undefined;
  // Each use of a macro can be as long as the formula, so all uses together may not exceed what is left.
  const maxExpand = definesMacros ? Math.min(maxExpansions, Math.floor(left / formula.length)) : maxExpansions;
  const reserved = definesMacros ? Math.max(1, maxExpand) * formula.length : formula.length;
  if (!budget.takeDecoratedCharacters("formula", reserved)) return undefined;
  try {
    const html = inputs.katex.renderToString(formula, {
      displayMode,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand,
      maxSize: 20,
    });
    const used = Math.ceil(html.length / minHtmlPerCharacter);
    if (used < reserved) budget.takeDecoratedCharacters("formula", Math.max(used, formula.length) - reserved);
    // Like Zulip, does not escape apostrophes, which is safe because attributes are in double quotes.
    return budget.takeDecoration("formula", html) ? html.replaceAll("&#x27;", "'") : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the macros of a formula may use an argument twice: then each expansion can double the formula. Counts all uses in the
 * formula, since one macro may define another.
 */
function repeatsArgument(formula: string): boolean {
  const uses = formula.match(/#[\s\S]?/g) ?? [];
  return new Set(uses).size < uses.length;
}
