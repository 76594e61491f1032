/** A message's HTML for notifications and mail, where client styles and scripts are missing. */

/**
 * Replaces what only clients can show: formulas with their TeX, emoji with characters, custom emoji and images with their
 * names; spoilers stay hidden.
 */
export function toStandaloneHtml(html: string): string {
  const withoutSpoilers = replaceElements(html, "div", '<div class="spoiler-content"', () => "(…)");
  return replaceElements(withoutSpoilers, "span", '<span class="katex', texOf)
    .replace(/<span [^>]*\bclass="emoji emoji-([0-9a-f-]+)"[^>]*>[^<]*<\/span>/g, (_, code: string) => characters(code))
    .replace(/<img [^>]*\balt="([^"]*)"[^>]*>/g, "$1");
}

const texOf = (formula: string) => /<annotation[^>]*>([^<]*)<\/annotation>/.exec(formula)?.[1] ?? "";

const characters = (code: string) => String.fromCodePoint(...code.split("-").map((part) => Number.parseInt(part, 16)));

/** Splits HTML into tags and the text between them. */
export const tokensOf = (html: string): string[] => html.match(/<[^>]*>|[^<]+/g) ?? [];

/** Replaces each outermost element with a tag whose start tag begins with `opening`; the HTML must be well-formed. */
export function replaceElements(
  html: string,
  tag: string,
  opening: string,
  replacement: (element: string) => string,
): string {
  if (!html.includes(opening)) return html;
  let [result, element, depth] = ["", "", 0];
  for (const token of tokensOf(html)) {
    if (depth === 0 && !token.startsWith(opening)) {
      result += token;
      continue;
    }
    element += token;
    if (token === `</${tag}>`) depth--;
    else if (token.startsWith(`<${tag} `) || token === `<${tag}>`) depth++;
    if (depth > 0) continue;
    result += replacement(element);
    element = "";
  }
  return result;
}
