import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Row } from "./database.ts";
import { AwsError } from "./error.ts";
import type { Operations } from "./operations.ts";

/** A mail that was written to a file, as the host's console shows it. */
export interface SavedMail {
  file: string;
  to: string;
  subject: string;
  /** The first link in the mail's text. */
  link: string | undefined;
}

/** SES v2, SendEmail only: writes each mail into `folder` as an .eml file, whose name sorts by time. */
export function mailOperations(folder: string, onMail: (mail: SavedMail) => void = () => {}): Operations {
  return {
    SendEmail: async (input) => {
      const MessageId = randomUUID();
      const content = emlOf(input, MessageId);
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${new Date().toISOString().replaceAll(":", "-")}-${MessageId.slice(0, 8)}.eml`);
      await writeFile(`${file}.part`, content);
      await rename(`${file}.part`, file);
      const { Subject, Body } = input.Content.Simple;
      const [link] = /https?:\/\/\S+/.exec(Body.Text?.Data ?? "") ?? [];
      onMail({ file, to: String(input.Destination.ToAddresses), subject: Subject.Data, link });
      return { MessageId };
    },
  };
}

/** The mail as a file, with `Content.Simple` of text, HTML or both. */
function emlOf(
  { FromEmailAddress, Destination, ReplyToAddresses, Content: { Simple: simple } }: Row,
  messageId: string,
): string {
  const headers: [string, string][] = [
    ["From", FromEmailAddress],
    ["To", Destination.ToAddresses.join(", ")],
    ...(ReplyToAddresses ? [["Reply-To", ReplyToAddresses.join(", ")] as [string, string]] : []),
    ["Subject", encodedWords(simple.Subject.Data)],
    ["Date", new Date().toUTCString().replace("GMT", "+0000")],
    ["Message-ID", `<${messageId}@localhost>`],
    ["MIME-Version", "1.0"],
    ...(simple.Headers ?? []).map(({ Name, Value }: Row): [string, string] => [Name, Value]),
  ];
  // A line break in an address or a header would let its writer add headers of their own.
  if (headers.some((header) => header.some((text) => /[\r\n]/.test(text))))
    throw new AwsError("BadRequestException", "A header must not contain a line break");
  const bodies = [["text/plain", simple.Body.Text] as const, ["text/html", simple.Body.Html] as const]
    .filter(([, content]) => content)
    .map(([type, { Data }]) =>
      [
        `Content-Type: ${type}; charset=utf-8`,
        "Content-Transfer-Encoding: base64",
        "",
        ...(Buffer.from(Data)
          .toString("base64")
          .match(/.{1,76}/g) ?? []),
        "",
      ].join("\r\n"),
    );
  const headerLines = headers.map(([name, value]) => `${name}: ${value}`);
  if (bodies.length === 1) return `${headerLines.join("\r\n")}\r\n${bodies[0]}`;
  const boundary = `=_${messageId}`;
  const multipart = [
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...bodies.map((body) => `--${boundary}\r\n${body}`),
  ];
  return `${[...headerLines, ...multipart].join("\r\n")}--${boundary}--\r\n`;
}

const encodedWords = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  /^[\x00-\x7f]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
