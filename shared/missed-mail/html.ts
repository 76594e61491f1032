import { escapeHtml } from "../markdown/code.ts";
import { forOutside, replaceElements, tokensOf } from "../messages/outside.ts";

/** A message's HTML as it stands in a mail: of few tags, with links that are complete, and nothing that is loaded. */

/** Kept without any attribute; what else there is gives its text alone. */
const kept = new Set(
  "blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(" "),
);
const empty = new Set(["br", "hr", "img"]);
/** Markup may be so much longer than the text in it. */
const markupToText = 4;

/**
 * At most `mostCharacters` of text, well formed whatever is given. Its tags are this function's own, and its links lead to
 * http, https and mailto addresses; those without a host to `ownUrl`. Pictures and players are left out: their links stand
 * in the text, and nobody learns from what a mail loads that it was opened.
 */
export function mailHtml(html: string, ownUrl: string, mostCharacters: number): string {
  let out = "";
  let left = mostCharacters;
  const open: string[] = [];
  const shown = replaceElements(forOutside(html), "div", '<div class="message_inline_image', () => "");
  for (const token of tokensOf(shown)) {
    const [, slash, name = "", attributes = ""] = /^<(\/?)([a-z][a-z0-9]*)([^>]*)>$/.exec(token) ?? [];
    if (name === "") {
      // No entity is cut in half.
      const characters = text(token).match(/&[a-z0-9#]+;|./gisu) ?? [];
      const fits = characters.length <= left && out.length < mostCharacters * markupToText;
      out += fits ? characters.join("") : `${characters.slice(0, Math.max(0, left - 1)).join("")}…`;
      left -= characters.length;
      if (!fits) break;
    } else if (slash) out += open.pop() ?? "";
    else if (empty.has(name)) out += kept.has(name) ? `<${name}>` : "";
    else if (name === "audio") {
      out += startTag("a", attributes.replace(/ src=/, " href="), ownUrl) + (attributeOf(attributes, "title") ?? "…");
      open.push("</a>");
    } else {
      const start = startTag(name, attributes, ownUrl);
      out += start;
      open.push(start && `</${name}>`);
    }
  }
  return out + open.reverse().join("");
}

/** A stray "<" is none of a tag. */
const text = (token: string) => token.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The value as it stands in HTML, escaped. */
const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"<>]*)"`).exec(attributes)?.[1];

function startTag(name: string, attributes: string, ownUrl: string): string {
  if (kept.has(name)) return `<${name}>`;
  const href = name === "a" ? absolute(attributeOf(attributes, "href") ?? "", ownUrl) : undefined;
  return href === undefined ? "" : `<a href="${href}">`;
}

/** undefined for an address that is none of a mail's. */
function absolute(href: string, ownUrl: string): string | undefined {
  if (href.startsWith("//")) return `https:${href}`;
  if (/^(https?:\/\/|mailto:)/i.test(href)) return href;
  return /^(\/|#|user_uploads\/)/.test(href) ? `${escapeHtml(ownUrl, true)}/${href.replace(/^\//, "")}` : undefined;
}
