import { escapeHtml } from "../html.ts";
import { builtText } from "./built-file.ts";
import type { HttpRequest } from "./event.ts";
import { RawReply } from "./raw-reply.ts";

/** Pages that a function fills: they run no script but the build's, load nothing from elsewhere, and are in no other page. */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** HTML: what is put into it is escaped unless it is HTML itself. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | undefined | readonly (Html | string | undefined)[];

const shown = (part: Part): string => {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "string" ? escapeHtml(part, true) : part.map(shown).join("");
};

/** A template whose values are escaped; undefined is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.map((text, index) => text + shown(parts[index])).join(""));

export const pageType = "text/html; charset=utf-8";

/** A page of the build's frame. Its address may hold a token, so that nobody keeps it and no other site hears of it. */
export async function page(status: number, title: string, content: Html): Promise<RawReply> {
  const filled = (await builtText("page.html"))
    .replace("{{title}}", () => escapeHtml(title, true))
    .replace("{{content}}", () => content.text);
  return new RawReply(
    status,
    {
      "content-type": pageType,
      "content-security-policy": policy,
      "cache-control": "private, no-store",
      "referrer-policy": "same-origin",
    },
    Buffer.from(filled),
  );
}

/** Whether a form was sent by a page of this server: another site's must not sign anybody in here. */
export function isFromOwnPage({ headers }: Pick<HttpRequest, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host;
}
