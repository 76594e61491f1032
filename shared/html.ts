/** Escapes text for HTML. Escape quotes in attributes, and where Zulip's renderer does (code without a language). */
export function escapeHtml(text: string, quotes: boolean): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return quotes ? escaped.replaceAll('"', "&quot;").replaceAll("'", "&#39;") : escaped;
}
