import PostalMime, { type Attachment, addressParser, type Email } from "postal-mime";
import { HopelessJob } from "../../services/jobs/worker.ts";

/** A mail as it was written. Each part of it may be hostile, but all are bounded. */
export interface IncomingMail {
  /** The values of each header by its name in lower case, the first one first. */
  headers: ReadonlyMap<string, readonly string[]>;
  /** Undefined unless the mail has exactly one author. */
  from: { name: string; address: string } | undefined;
  subject: string;
  messageId: string;
  text: string;
  html: string;
  files: readonly MailFile[];
  /** The texts of invitations (RFC 5545). */
  calendars: readonly string[];
}

export interface MailFile {
  name: string;
  content: Uint8Array;
  /** The name by which the HTML shows the picture. */
  contentId: string | undefined;
}

/** What no program that writes mails for people exceeds. */
const maxParts = 500;
const maxNesting = 30;
/** The parser takes as long for each line, however short; a mail of 40 MB in Base64, as large as SES accepts, has 550,000. */
const maxLines = 600_000;
const maxHeaderBytes = 512 * 1024;
const maxFromCharacters = 10_000;
/** More of a text than a message can hold is kept as a file, up to this length. */
const maxTextCharacters = 1_000_000;

/** Reads a mail; throws HopelessJob for one that nobody would have to read. */
export async function readMime(bytes: Uint8Array): Promise<IncomingMail> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  checkLineCount(source);
  checkPartCount(source);
  const email = await parse(bytes);
  const headers = new Map<string, string[]>();
  for (const { key, value } of email.headers) {
    const values = headers.get(key);
    if (values) values.push(value);
    else headers.set(key, [value]);
  }
  const [invitations, others] = split(email.attachments, ({ mimeType }) => mimeType === "text/calendar");
  return {
    headers,
    from: onlyMailbox(headers.get("from")),
    subject: email.subject ?? "",
    messageId: email.messageId ?? "",
    text: unflowedQuotes((email.text ?? "").slice(0, maxTextCharacters), source),
    html: (email.html ?? "").slice(0, maxTextCharacters),
    files: others.map((file, index) => ({
      name: file.filename || defaultName(file, index),
      content: bytesOf(file),
      contentId: file.contentId?.replaceAll(/^<|>$/g, ""),
    })),
    calendars: invitations.map((file) => new TextDecoder().decode(bytesOf(file).subarray(0, maxTextCharacters))),
  };
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: maxNesting, maxHeadersSize: maxHeaderBytes });
  } catch (error) {
    throw new HopelessJob(`The mail cannot be read: ${(error as Error).message.slice(0, 200)}`);
  }
}

function checkLineCount(source: string): void {
  let lines = 0;
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1))
    if (++lines > maxLines) throw new HopelessJob(`The mail cannot be read: it has more than ${maxLines} lines`);
}

/** Refuses a mail of very many parts before anything is built of them. */
function checkPartCount(source: string): void {
  const boundaries = new Set<string>();
  for (const [, quotedValue, value = quotedValue] of source.matchAll(
    /\bboundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi,
  )) {
    boundaries.add(value ?? "");
    if (boundaries.size > maxParts) throw tooManyParts();
  }
  let parts = 0;
  for (const [, line = ""] of source.matchAll(/^--([^\r\n]{1,200})/gm))
    if (boundaries.has(line.trimEnd()) && ++parts > maxParts) throw tooManyParts();
}

/** In lines that the parser has joined (RFC 3676), removes the marks of quotes that were at the beginnings of the lines. */
const unflowedQuotes = (text: string, source: string): string =>
  /\bformat\s{0,9}=\s{0,9}"?flowed/i.test(source) ? text.split("\n").map(unflowed).join("\n") : text;

const unflowed = (line: string): string =>
  line.startsWith(">") ? `>${line.slice(1).replaceAll(/ >(?: ?>)* ?/g, " ")}` : line;

const tooManyParts = () => new HopelessJob(`The mail cannot be read: it has more than ${maxParts} parts`);

/** The author, if there is one header and it has one address. */
function onlyMailbox(values: readonly string[] = []): IncomingMail["from"] {
  const [value = ""] = values;
  if (values.length !== 1 || value.length > maxFromCharacters) return undefined;
  const [author, another] = addressParser(value, { flatten: true });
  if (another || !author?.address) return undefined;
  return { name: author.name, address: author.address.toLowerCase() };
}

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);

/** The name of a file that has none, of which a forwarded mail is the most frequent. */
const defaultName = ({ mimeType }: Attachment, index: number): string =>
  mimeType === "message/rfc822"
    ? `mail-${index + 1}.eml`
    : `file-${index + 1}.${/^[a-z]+\/([a-z0-9]{1,10})$/.exec(mimeType)?.[1] ?? "bin"}`;

function split<T>(values: readonly T[], belongs: (value: T) => boolean): [T[], T[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))];
}
