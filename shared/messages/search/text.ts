import { decodeEntities } from "../../html.ts";

/** The visible text of HTML; blocks and line breaks become spaces. */
export const textOfHtml = (html: string): string =>
  decodeEntities(
    html
      .replace(/<\/?(?:p|div|li|ul|ol|br|tr|td|th|h[1-6]|blockquote|pre|table)\b[^>]*>/g, " ")
      .replace(/<[^>]*>/g, ""),
  );
