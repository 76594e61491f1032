import { escapeHtml } from "../../base/html.ts";
import { replaceElements, tokensOf, toStandaloneHtml } from "../notifications/message-html.ts";

/** Sanitizes a message's HTML for mail: few tags, absolute links, and no remote content. */

/** The tags that are kept, without attributes. Other elements are reduced to their text. */
const keptTags = new Set(
  "blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(" "),
);
const voidTags = new Set(["br", "hr", "img"]);
/** How many times longer than the maximum text the HTML may be. */
const maxMarkupRatio = 4;

/**
 * The HTML with at most `maxCharacters` of text, well-formed for any input. Writes all tags itself. Links lead to http,
 * https and mailto URLs, relative ones to `baseUrl`. Images and players are left out, because remote content would reveal
 * when a mail is opened; the text contains their links.
 */
export function mailHtml(html: string, baseUrl: string, maxCharacters: number): string {
  let out = "";
  let remainingCharacters = maxCharacters;
  const openEndTags: string[] = [];
  const visibleHtml = replaceElements(toStandaloneHtml(html), "div", '<div class="message_inline_image', () => "");
  for (const token of tokensOf(visibleHtml)) {
    const [, slash, name = "", attributes = ""] = /^<(\/?)([a-z][a-z0-9]*)([^>]*)>$/.exec(token) ?? [];
    if (name === "") {
      // Entities are not cut in half.
      const characters = escapeAngles(token).match(/&[a-z0-9#]+;|./gisu) ?? [];
      const fits = characters.length <= remainingCharacters && out.length < maxCharacters * maxMarkupRatio;
      out += fits ? characters.join("") : `${characters.slice(0, Math.max(0, remainingCharacters - 1)).join("")}…`;
      remainingCharacters -= characters.length;
      if (!fits) break;
    } else if (slash) out += openEndTags.pop() ?? "";
    else if (voidTags.has(name)) out += keptTags.has(name) ? `<${name}>` : "";
    else if (name === "audio") {
      out += startTag("a", attributes.replace(/ src=/, " href="), baseUrl) + (attributeOf(attributes, "title") ?? "…");
      openEndTags.push("</a>");
    } else {
      const start = startTag(name, attributes, baseUrl);
      out += start;
      openEndTags.push(start && `</${name}>`);
    }
  }
  return out + openEndTags.reverse().join("");
}

/** Escapes a stray "<" outside of tags. */
const escapeAngles = (token: string) => token.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The attribute's value, still escaped. */
const attributeOf = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"<>]*)"`).exec(attributes)?.[1];

function startTag(name: string, attributes: string, baseUrl: string): string {
  if (keptTags.has(name)) return `<${name}>`;
  const href = name === "a" ? absoluteUrl(attributeOf(attributes, "href") ?? "", baseUrl) : undefined;
  return href === undefined ? "" : `<a href="${href}">`;
}

/** Undefined for URLs that an e-mail must not contain. */
function absoluteUrl(href: string, baseUrl: string): string | undefined {
  if (href.startsWith("//")) return `https:${href}`;
  if (/^(https?:\/\/|mailto:)/i.test(href)) return href;
  return /^(\/|#|user_uploads\/)/.test(href) ? `${escapeHtml(baseUrl, true)}/${href.replace(/^\//, "")}` : undefined;
}
