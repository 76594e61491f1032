import { escapeHtml } from "../../base/html.ts";
import { readBuiltText } from "./built-file.ts";
import type { HttpRequest } from "./event.ts";
import { RawReply } from "./raw-reply.ts";

/** HTML pages made by functions. They run only the build's scripts, load nothing from other origins, and cannot be framed. */

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Trusted HTML, which templates insert without escaping. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | undefined | readonly (Html | string | undefined)[];

const toHtml = (part: Part): string => {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "string" ? escapeHtml(part, true) : part.map(toHtml).join("");
};

/** A template tag that escapes its values, except for `Html`; undefined becomes nothing. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + toHtml(parts[index])).join(""));

/** Fills in a template's `{{names}}` in one pass: a value that contains a placeholder is not filled in again. */
const fillTemplate = (template: string, values: Record<string, Html>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name]?.text ?? placeholder);

export const pageType = "text/html; charset=utf-8";

/**
 * Renders a page by the built template `page.html`. Its URL may contain a token: the page is not cached, and
 * other sites do not get its URL as referrer.
 */
export async function page(status: number, title: string, content: Html): Promise<RawReply> {
  const pageHtml = fillTemplate(await readBuiltText("page.html"), { title: html`${title}`, content });
  return new RawReply(
    status,
    {
      "content-type": pageType,
      "content-security-policy": contentSecurityPolicy,
      "cache-control": "private, no-store",
      "referrer-policy": "same-origin",
    },
    Buffer.from(pageHtml),
  );
}

/** Whether a form was submitted by a page of this server. Prevents login CSRF by other sites. */
export function isFromOwnPage({ headers }: Pick<HttpRequest, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host;
}
