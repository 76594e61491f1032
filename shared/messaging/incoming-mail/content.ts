import { ApiError } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import { limits } from "../../base/limits.ts";
import { truncate, truncateContent } from "../../base/schema/text.ts";
import { spoilerOf } from "../../core/markdown/source/fenced.ts";
import type { Realm } from "../../services/organization/access.ts";
import { addUpload } from "../uploads/actions.ts";
import { uploadQuotaBytes } from "../uploads/rules.ts";
import { uploadUrl } from "../uploads/wire.ts";
import { calendarText } from "./calendar.ts";
import { cutText, type TextParts } from "./cut.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import type { IncomingMail, MailFile } from "./read-mime.ts";
import type { Verdict } from "./trust.ts";

/** How a mail becomes the text of a message. */
interface ContentOptions {
  /** A line says who has written the mail. */
  showSender: boolean;
  includeFooter: boolean;
  includeQuotes: boolean;
  preferHtml: boolean;
  /** Whether what is cut stays in the message, folded up. */
  keepRest: boolean;
}

/** A longer text is searched for quotes only so far. */
const maxSearchedCharacters = 100_000;
/** Leaves room for the frame of what is folded up. */
const restReserve = 200;
const minRestCharacters = 100;

/**
 * The text of the message for a mail. Its files become uploads of `ownerId`, and so does the whole text if the message cannot hold
 * it.
 */
export async function contentOf(
  mail: IncomingMail,
  verdict: Verdict,
  options: ContentOptions,
  ownerId: number,
  realm: Realm,
): Promise<string> {
  const { body, quote, signature } = partsOf(mail, options);
  const rest = options.keepRest ? [quote, signature].filter(Boolean).join("\n\n") : "";
  const invitations = mail.calendars.map(calendarText).filter(Boolean);
  const preamble = options.showSender ? senderLine(mail, verdict) : "";
  const isWhole = preamble.length + body.length + rest.length + restReserve < limits.messageLength;
  const files = [...mail.files, ...(isWhole ? [] : [textFile([body, rest].filter(Boolean).join("\n\n"))])];
  const { links, text } = await withFiles([body, ...invitations].filter(Boolean).join("\n\n"), files, ownerId, realm);
  const shownBody = silenced(text) || (links.length > 0 ? "" : "(No email body)");
  const end = links.join("\n");
  const main = truncateContent(shownBody, limits.messageLength - preamble.length - end.length - 2);
  const content = [preamble, main, end].filter(Boolean).join("\n");
  const room = limits.messageLength - content.length - restReserve;
  if (rest === "" || room < minRestCharacters) return content;
  return `${content}\n\n${spoilerOf("Show the rest", silenced(truncate(rest, room, "\n…")))}`;
}

function partsOf(mail: IncomingMail, { includeFooter, includeQuotes, preferHtml }: ContentOptions): TextParts {
  const usesHtml = mail.html.trim() !== "" && (preferHtml || mail.text.trim() === "");
  const found = usesHtml ? cutMarkdown(htmlToMarkdown(mail.html)) : cutText(mail.text.slice(0, maxSearchedCharacters));
  const body = usesHtml || mail.text.length <= maxSearchedCharacters ? found.body : mail.text;
  const kept = [body, includeQuotes && found.quote, includeFooter && found.signature];
  return {
    // Null characters would make the message invalid.
    body: kept.filter(Boolean).join("\n\n").replaceAll("\0", ""),
    quote: includeQuotes ? "" : found.quote.replaceAll("\0", ""),
    signature: includeFooter ? "" : found.signature.replaceAll("\0", ""),
  };
}

/** What the HTML does not mark as a quote or signature may still look like one. */
function cutMarkdown(parts: TextParts): TextParts {
  const { body, quote, signature } = cutText(parts.body);
  const join = (...texts: string[]) => texts.filter(Boolean).join("\n\n");
  // A mail that is nothing but what it quotes was sent for the sake of that.
  if (body === "") return { body: join(parts.quote, parts.signature), quote: "", signature: "" };
  return { body, quote: join(quote, parts.quote), signature: join(signature, parts.signature) };
}

/** Says who has written the mail, and that nobody knows whether it is true if no server has confirmed it. */
function senderLine({ from }: IncomingMail, verdict: Verdict): string {
  if (!from) return "From: unknown";
  const name = silenced(
    from.name
      .replaceAll(/[\p{C}\s]+/gu, " ")
      .trim()
      .slice(0, 100),
  );
  const address = from.address.slice(0, 254);
  return `From: ${name ? `${name} <${address}>` : address}${verdict === "pass" ? "" : " (not verified)"}\n`;
}

/** Strangers mention nobody: mentions become silent. */
const silenced = (text: string): string => text.replaceAll(/@(?=\*)/g, "@_");

const textFile = (text: string): MailFile => ({ name: "mail.txt", content: Buffer.from(text), contentId: undefined });

/** Stores files; pictures that the text shows are linked there, the others in `links`. */
async function withFiles(text: string, files: readonly MailFile[], ownerId: number, realm: Realm) {
  const links: string[] = [];
  const urls = new Map<string, string>();
  for (const [index, file] of files.entries()) {
    const label = file.name.replaceAll(/[[\]\p{C}]/gu, "").slice(0, 100) || "file";
    if (index >= limits.filesPerMessage) {
      links.push(`(${files.length - index} further files were left out.)`);
      break;
    }
    const url = await storedUrl(file, ownerId, realm);
    if (url === undefined) links.push(`(${label} is too large.)`);
    else if (file.contentId !== undefined && text.includes(`](cid:${file.contentId})`)) urls.set(file.contentId, url);
    else links.push(`[${label}](${url})`);
  }
  const linked = text.replaceAll(/\[([^\]\n]*)\]\(cid:([^()\s]+)\)/g, (_, label: string, contentId: string) => {
    const url = urls.get(contentId);
    return url === undefined ? label : `[${label}](${url})`;
  });
  return { text: linked, links };
}

/** Undefined for a file that the organization has no room for. */
async function storedUrl({ name, content }: MailFile, ownerId: number, realm: Realm): Promise<string | undefined> {
  if (content.length > currentHost().maxUploadBytes) return undefined;
  const read = async (start: number, end: number) => content.subarray(start, end);
  try {
    return uploadUrl(await addUpload(ownerId, { name, size: content.length, read }, uploadQuotaBytes(realm)));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
