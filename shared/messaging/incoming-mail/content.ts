import { ApiError } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import { limits } from "../../base/limits.ts";
import { truncate, truncateContent } from "../../base/schema/text.ts";
import { spoilerOf, withClosedFences } from "../../core/markdown/source/fenced.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Upload } from "../../store/organization/uploads.ts";
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
/** Leaves room for the lines that close what a cut text leaves open. */
const fenceReserve = 500;
const maxFence = 30;
/** The link to a file: its label, the path, and the name in it. */
const maxLinkCharacters = 350;
/** A picture that the text shows, as `htmlToMarkdown` writes it. */
const shownPicture = /\[([^[\]\n]{0,200})\]\(cid:([^()\s]{1,200})\)/g;
const minRestCharacters = 100;

/**
 * The text of the message for a mail, and the paths of its files. These become uploads of `ownerId`, and so does the whole text if
 * the message cannot hold it.
 */
export async function contentOf(
  mail: IncomingMail,
  verdict: Verdict,
  options: ContentOptions,
  ownerId: number,
  realm: Realm,
): Promise<{ content: string; pathIds: string[] }> {
  const { body, quote, signature } = partsOf(mail, options);
  const rest = options.keepRest ? [quote, signature].filter(Boolean).join("\n\n") : "";
  const whole = [body, ...mail.calendars.map(calendarText)].filter(Boolean).join("\n\n");
  const preamble = options.showSender ? silenced(senderLine(mail, verdict)) : "";
  const isWhole =
    preamble.length + silenced(whole).length + silenced(rest).length + linksRoom(mail, whole) + restReserve <
    limits.messageLength;
  // The whole text comes first, so that it is not among the files that are left out.
  const files = [...(isWhole ? [] : [textFile([whole, rest].filter(Boolean).join("\n\n"))]), ...mail.files];
  const { links, text, pathIds } = await withFiles(whole.slice(0, 2 * limits.messageLength), files, ownerId, realm);
  const end = silenced(links.join("\n"));
  const shownBody = withShortFences(silenced(text)) || (links.length > 0 ? "" : "(No email body)");
  const main = fitting(shownBody, limits.messageLength - preamble.length - end.length - 2);
  const content = [preamble, main, end].filter(Boolean).join("\n");
  const room = limits.messageLength - content.length - restReserve;
  if (rest === "" || room < minRestCharacters) return { content, pathIds };
  const shownRest = truncate(withShortFences(silenced(rest)), room, "\n…");
  return { content: `${content}\n\n${spoilerOf("Show the rest", shownRest)}`, pathIds };
}

/** What the links to a mail's files may need, with those of pictures that its text shows. */
const linksRoom = ({ files }: IncomingMail, text: string): number =>
  (Math.min(files.length, limits.filesPerMessage) + (text.match(shownPicture)?.length ?? 0)) * maxLinkCharacters;

/** Cuts a text to `max` characters, and closes what it leaves open, so that the links below it are links. */
function fitting(text: string, max: number): string {
  const closed = withClosedFences(text);
  return closed.length <= max ? closed : withClosedFences(truncateContent(text, max - fenceReserve));
}

/** Closing a very long fence would take as much room again. */
const withShortFences = (text: string): string =>
  text.replaceAll(/`{31,}|~{31,}/g, (fence) => fence.slice(0, maxFence));

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
  const name = from.name
    .slice(0, 1000)
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 100);
  const address = from.address.slice(0, 254);
  return `From: ${name ? `${name} <${address}>` : address}${verdict === "pass" ? "" : " (not verified)"}\n`;
}

/** Strangers mention nobody: mentions become silent. */
const silenced = (text: string): string => text.replaceAll(/@(?=\*)/g, "@_");

const textFile = (text: string): MailFile => ({ name: "mail.txt", content: Buffer.from(text), contentId: undefined });

/** Stores files; pictures that the text shows are linked there, the others in `links`. */
async function withFiles(text: string, files: readonly MailFile[], ownerId: number, realm: Realm) {
  const links: string[] = [];
  const pathIds: string[] = [];
  const urls = new Map<string, string>();
  const shown = new Set([...text.matchAll(shownPicture)].map(([, , contentId]) => contentId));
  for (const [index, file] of files.entries()) {
    const label =
      file.name
        .slice(0, 1000)
        .replaceAll(/[[\]\p{C}]/gu, "")
        .slice(0, 100) || "file";
    if (index >= limits.filesPerMessage) {
      links.push(`(${files.length - index} further files were left out.)`);
      break;
    }
    const upload = await storedFile(file, ownerId, realm);
    if (upload) pathIds.push(upload.pathId);
    const { contentId } = file;
    if (!upload) links.push(`(${label} is too large.)`);
    else if (contentId !== undefined && shown.has(contentId) && !urls.has(contentId))
      urls.set(contentId, uploadUrl(upload));
    else links.push(`[${label}](${uploadUrl(upload)})`);
  }
  const linked = text.replaceAll(shownPicture, (_, label: string, contentId: string) => {
    const url = urls.get(contentId);
    return url === undefined ? label : `[${label}](${url})`;
  });
  return { text: linked, links, pathIds };
}

/** Undefined for a file that the organization has no room for. */
async function storedFile({ name, content }: MailFile, ownerId: number, realm: Realm): Promise<Upload | undefined> {
  if (content.length > currentHost().maxUploadBytes) return undefined;
  const read = async (start: number, end: number) => content.subarray(start, end);
  try {
    return await addUpload(ownerId, { name, size: content.length, read }, uploadQuotaBytes(realm));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
