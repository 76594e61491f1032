import DOMPurify from "dompurify";
import { t } from "../languages/language.ts";
import { glyphOf } from "./emoji.ts";
import { partsBetweenMarks } from "./marks.ts";
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

/** The text of HTML, without any of its elements, with the spaces around it. */
export function wholeTextOf(html: string): string {
  const fragment = DOMPurify.sanitize(html, { ...config, ALLOWED_TAGS: ["#text", "img", "span"] });
  showGlyphs(fragment);
  return fragment.textContent ?? "";
}

export const textOf = (html: string) => wholeTextOf(html).trim();

const maxCacheEntries = 3000;

export interface HtmlContext {
  formatTime: (unixSeconds: number) => string;
  timeWithZone: (unixSeconds: number) => string;
  /** Whether a mention of a user, a group or everybody includes the reader. */
  concernsReader: (mention: { userId?: number; groupId?: number; isWildcard: boolean }) => boolean;
}

/** Servers send an emoji by its name. */
function showGlyphs(root: ParentNode): void {
  for (const emoji of root.querySelectorAll("span.emoji")) {
    const code = [...emoji.classList].find((name) => /^emoji-[0-9a-f]/.test(name))?.slice("emoji-".length);
    const glyph = code ? glyphOf(code) : "";
    if (glyph) emoji.textContent = glyph;
  }
}

/**
 * Sanitizes rendered content, and adapts it to the reader (`adaptElements`). `cache` has what was made for the reader before, by the
 * HTML that the server sent.
 */
export function safeHtml(html: string, context: HtmlContext, cache: Map<string, string>): string {
  const cached = cache.get(html);
  if (cached !== undefined) return cached;
  const fragment = DOMPurify.sanitize(html, config);
  adaptElements(fragment, context);
  const holder = document.createElement("div");
  holder.append(fragment);
  if (cache.size >= maxCacheEntries) cache.delete(cache.keys().next().value ?? "");
  if (holder.querySelector(".katex")) loadFormulaStyles();
  const safe = policy.createHTML(holder.innerHTML);
  cache.set(html, safe);
  return safe;
}

/** The address of the stylesheet for formulas; defined by the build (`infra/build/web-client.ts`). */
declare const SKEIN_FORMULA_STYLES: string;

let hasFormulaStyles = false;
function loadFormulaStyles() {
  if (hasFormulaStyles) return;
  hasFormulaStyles = true;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = SKEIN_FORMULA_STYLES;
  document.head.append(link);
}

/** Adapts links, emoji, times, mentions, images and spoilers to the browser and the reader. */
function adaptElements(root: DocumentFragment, { formatTime, timeWithZone, concernsReader }: HtmlContext) {
  for (const link of root.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    if (href.startsWith("#")) continue;
    // Text that is no URL for the browser leads nowhere, as it does without a script.
    const url = URL.parse(href, location.origin);
    if (url?.origin === location.origin && url.hash.startsWith("#narrow")) {
      link.setAttribute("href", url.hash);
      continue;
    }
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  breakMarks(root);
  // Each paragraph has the direction of its own text.
  for (const block of root.querySelectorAll<HTMLElement>("p, li, h1, h2, h3, h4, h5, h6, th, td")) block.dir = "auto";
  showGlyphs(root);
  for (const time of root.querySelectorAll<HTMLElement>("time[datetime]")) {
    const timeMs = Date.parse(time.getAttribute("datetime") ?? "");
    if (!Number.isFinite(timeMs)) continue;
    time.textContent = formatTime(timeMs / 1000);
    // An hour that happens twice, when clocks are put back, is told apart by its zone.
    time.title = timeWithZone(timeMs / 1000);
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
    if (!image.hasAttribute("alt")) image.alt = image.closest("a")?.title || t("Picture");
    // The browser would disclose to another site who reads the message, by fetching an image from it.
    const source = URL.parse(image.getAttribute("src") ?? "", location.origin);
    if (source?.origin !== location.origin) image.removeAttribute("src");
  }
  for (const header of root.querySelectorAll<HTMLElement>(".spoiler-header")) {
    header.setAttribute("role", "button");
    header.tabIndex = 0;
    header.setAttribute("aria-expanded", "false");
  }
}

/** Lets the browser break letters with very many marks. */
function breakMarks(root: Node): void {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: [Node, string[]][] = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parts = partsBetweenMarks(text.nodeValue ?? "");
    if (parts.length > 1) found.push([text, parts]);
  }
  for (const [text, parts] of found)
    (text as Text).replaceWith(...parts.flatMap((part) => [part, document.createElement("wbr")]).slice(0, -1));
}
