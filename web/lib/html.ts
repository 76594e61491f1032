import DOMPurify from "dompurify";
import { glyphOf } from "./emoji.ts";
import { policy } from "./trusted-types.ts";

/**
 * Sanitizes the HTML of messages a second time, after the server's renderer, and replaces elements that browsers cannot
 * show by themselves (emoji, times).
 */

const config = {
  // DOMPurify's own pattern with fewer protocols.
  ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto|tel):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  ADD_ATTR: ["target"],
  FORBID_TAGS: ["form", "input", "button", "textarea", "select", "style", "iframe", "object", "embed"],
  RETURN_DOM_FRAGMENT: true as const,
};

/** The text of HTML, without any of its elements. */
export const textOf = (html: string) =>
  DOMPurify.sanitize(html, { ...config, ALLOWED_TAGS: ["#text", "img"] }).textContent?.trim() ?? "";

/** Caches sanitized elements by their HTML. */
const made = new Map<string, string>();
const maxMade = 3000;

export interface HtmlContext {
  timeOf: (seconds: number) => string;
  /** A user's or group's mention that concerns the reader. */
  concernsReader: (mention: { userId?: number; groupId?: number; isWildcard: boolean }) => boolean;
}

export function safeHtml(html: string, context: HtmlContext): string {
  const known = made.get(html);
  if (known !== undefined) return known;
  const fragment = DOMPurify.sanitize(html, config);
  finish(fragment, context);
  const holder = document.createElement("div");
  holder.append(fragment);
  if (made.size >= maxMade) made.delete(made.keys().next().value ?? "");
  if (holder.querySelector(".katex")) loadFormulaStyles();
  const safe = policy.createHTML(holder.innerHTML);
  made.set(html, safe);
  return safe;
}

/** Defined by the build. */
declare const SKEIN_FORMULA_STYLES: string;

let formulas = false;
function loadFormulaStyles() {
  if (formulas) return;
  formulas = true;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = SKEIN_FORMULA_STYLES;
  document.head.append(link);
}

/** Times and mentions depend on settings, so a change of these clears the cache. */
export const forgetHtml = () => made.clear();

function finish(root: DocumentFragment, { timeOf, concernsReader }: HtmlContext) {
  for (const link of root.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    if (href.startsWith("#")) continue;
    const own = new URL(href, location.origin);
    if (own.origin === location.origin && own.hash.startsWith("#narrow")) {
      link.setAttribute("href", own.hash);
      continue;
    }
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const emoji of root.querySelectorAll<HTMLElement>("span.emoji")) {
    const code = [...emoji.classList].find((name) => /^emoji-[0-9a-f]/.test(name))?.slice("emoji-".length);
    const glyph = code ? glyphOf(code) : "";
    if (glyph) emoji.textContent = glyph;
  }
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.getAttribute("datetime") ?? "");
    if (Number.isFinite(at)) time.textContent = timeOf(at / 1000);
  }
  for (const mention of root.querySelectorAll<HTMLElement>(".user-mention, .user-group-mention, .topic-mention")) {
    const user = mention.dataset.userId;
    const isWildcard = user === "*" || mention.classList.contains("topic-mention");
    const concerned = concernsReader({
      isWildcard,
      ...(user && !isWildcard && { userId: Number(user) }),
      ...(mention.dataset.userGroupId && { groupId: Number(mention.dataset.userGroupId) }),
    });
    if (concerned && !mention.classList.contains("silent")) mention.classList.add("mentions-reader");
  }
  for (const image of root.querySelectorAll<HTMLImageElement>("img")) {
    image.loading = "lazy";
    image.decoding = "async";
    if (!image.hasAttribute("alt")) image.alt = image.closest("a")?.title || "Picture";
    // Images of other sites would disclose who reads what.
    const source = new URL(image.getAttribute("src") ?? "", location.origin);
    if (source.origin !== location.origin) image.removeAttribute("src");
  }
  for (const header of root.querySelectorAll<HTMLElement>(".spoiler-header")) {
    header.setAttribute("role", "button");
    header.tabIndex = 0;
    header.setAttribute("aria-expanded", "false");
  }
}
