/**
 * Escapes text for HTML. Quotation marks must be escaped in attributes. Zulip's renderer also escapes them in code without a
 * language, and so must this server.
 */
export function escapeHtml(text: string, escapeQuotes: boolean): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escapeQuotes ? escaped.replaceAll('"', "&quot;").replaceAll("'", "&#39;") : escaped;
}
