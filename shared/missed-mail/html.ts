import { escapeHtml } from "../html.ts";
import { replaceElements, tokensOf, toStandaloneHtml } from "../notifications/message-html.ts";

/** Sanitizes a message's HTML for mail: few tags, absolute links, and no remote content. */

/** These tags are kept without attributes; other elements are reduced to their text. */
const keptTags = new Set(
  "blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(" "),
);
const voidTags = new Set(["br", "hr", "img"]);
/** How much longer than its text the markup may be. */
const maxMarkupRatio = 4;

/**
 * At most `maxCharacters` of text, well-formed for any input. All tags are written by this function; links lead to http,
 * https and mailto URLs, relative ones to `baseUrl`. Images and players are left out, as remote content would reveal when a
 * mail is opened; the text contains their links.
 */
export function mailHtml(html: string, baseUrl: string, maxCharacters: number): string {
  let out = "";
  let left = maxCharacters;
  const open: string[] = [];
  const shown = replaceElements(toStandaloneHtml(html), "div", '<div class="message_inline_image', () => "");
  for (const token of tokensOf(shown)) {
    const [, slash, name = "", attributes = ""] = /^<(\/?)([a-z][a-z0-9]*)([^>]*)>$/.exec(token) ?? [];
    if (name === "") {
      // Entities are not cut in half.
      const characters = text(token).match(/&[a-z0-9#]+;|./gisu) ?? [];
      const fits = characters.length <= left && out.length < maxCharacters * maxMarkupRatio;
      out += fits ? characters.join("") : `${characters.slice(0, Math.max(0, left - 1)).join("")}…`;
      left -= characters.length;
      if (!fits) break;
    } else if (slash) out += open.pop() ?? "";
    else if (voidTags.has(name)) out += keptTags.has(name) ? `<${name}>` : "";
    else if (name === "audio") {
      out += startTag("a", attributes.replace(/ src=/, " href="), baseUrl) + (attributeOf(attributes, "title") ?? "…");
      open.push("</a>");
    } else {
      const start = startTag(name, attributes, baseUrl);
      out += start;
      open.push(start && `</${name}>`);
    }
  }
  return out + open.reverse().join("");
}

/** Escapes a stray "<" outside of tags. */
const text = (token: string) => token.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The attribute's value, still escaped. */
const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"<>]*)"`).exec(attributes)?.[1];

function startTag(name: string, attributes: string, baseUrl: string): string {
  if (keptTags.has(name)) return `<${name}>`;
  const href = name === "a" ? absolute(attributeOf(attributes, "href") ?? "", baseUrl) : undefined;
  return href === undefined ? "" : `<a href="${href}">`;
}

/** Undefined for URLs that an e-mail must not contain. */
function absolute(href: string, baseUrl: string): string | undefined {
  if (href.startsWith("//")) return `https:${href}`;
  if (/^(https?:\/\/|mailto:)/i.test(href)) return href;
  return /^(\/|#|user_uploads\/)/.test(href) ? `${escapeHtml(baseUrl, true)}/${href.replace(/^\//, "")}` : undefined;
}
