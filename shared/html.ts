/** Escapes text for HTML; quotes too where the service does (code without a language, attributes). */
export function escapeHtml(text: string, quotes: boolean): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return quotes ? escaped.replaceAll('"', "&quot;").replaceAll("'", "&#39;") : escaped;
}
