/** HTML of a message's text: one paragraph for each run of lines, escaped. */
export function renderContent(content: string): string {
  return content
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replaceAll("\n", "<br>\n")}</p>`)
    .join("\n");
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
