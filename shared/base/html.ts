/**
 * Escapes text for HTML. Quotation marks must be escaped in attributes. Zulip's renderer also escapes them in code without a
 * language, and so must this server.
 */
export function escapeHtml(text: string, escapeQuotes: boolean): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escapeQuotes ? escaped.replaceAll('"', "&quot;").replaceAll("'", "&#39;") : escaped;
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** HTML's text with its entities as characters; those of control characters, and unknown ones, stay. */
export const decodeEntities = (html: string): string =>
  html.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (entity, hexadecimal?: string, decimal?: string, name = "") => {
      if (name !== "") return Object.hasOwn(entities, name) ? (entities[name] as string) : entity;
      const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
      return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : entity;
    },
  );
