import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AwsError, type AwsService, type Json, jsonError, jsonReply, readJson } from "./protocol.ts";

/** The input of SES v2's SendEmail. */
type SendEmailInput = Json;

/** A mail that was written to a file, as the host's console shows it. */
export interface SavedMail {
  file: string;
  to: string;
  subject: string;
  /** The first link in the mail's text. */
  link: string | undefined;
}

/** SES v2, SendEmail only: writes each mail into `folder` as an .eml file, whose name sorts by time. */
export function mailEmulator(folder: string, onMail: (mail: SavedMail) => void = () => {}): AwsService {
  return {
    answer: async (request) => {
      if (request.method !== "POST" || request.path !== "/v2/email/outbound-emails") {
        throw new AwsError("NotFoundException", `This emulator has no ${request.method} ${request.path}`, {
          status: 404,
        });
      }
      const MessageId = randomUUID();
      const input: SendEmailInput = await readJson(request);
      const content = emlOf(input, MessageId);
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${new Date().toISOString().replaceAll(":", "-")}-${MessageId.slice(0, 8)}.eml`);
      await writeFile(`${file}.part`, content);
      await rename(`${file}.part`, file);
      const simple = input.Content?.Simple;
      const [link] = /https?:\/\/\S+/.exec(simple?.Body?.Text?.Data ?? "") ?? [];
      onMail({
        file,
        to: String(input.Destination?.ToAddresses ?? ""),
        subject: String(simple?.Subject?.Data ?? ""),
        link,
      });
      return jsonReply({ MessageId });
    },
    formatError: (error) => jsonError(error),
  };
}

function emlOf(
  { FromEmailAddress, Destination = {}, Content, ReplyToAddresses = [] }: SendEmailInput,
  messageId: string,
): Buffer {
  if (Content?.Raw?.Data) return Buffer.from(Content.Raw.Data, "base64");
  const simple = Content?.Simple;
  const parts: [type: string, text: string][] = [];
  if (simple?.Body?.Text) parts.push(["text/plain", simple.Body.Text.Data]);
  if (simple?.Body?.Html) parts.push(["text/html", simple.Body.Html.Data]);
  if (parts.length === 0) throw new AwsError("BadRequestException", "Content must have Raw, or Simple with a body");
  const to: string[] = Destination.ToAddresses ?? [];
  const cc: string[] = Destination.CcAddresses ?? [];
  if (typeof FromEmailAddress !== "string" || to.length + cc.length + (Destination.BccAddresses?.length ?? 0) === 0) {
    throw new AwsError("BadRequestException", "A mail needs a sender and a recipient");
  }
  const headers: [string, string][] = [
    ["From", FromEmailAddress],
    ["To", to.join(", ")],
    ["Cc", cc.join(", ")],
    ["Reply-To", ReplyToAddresses.join(", ")],
    ["Subject", encodedWords(String(simple.Subject?.Data ?? ""))],
    ["Date", new Date().toUTCString().replace("GMT", "+0000")],
    ["Message-ID", `<${messageId}@localhost>`],
    ["MIME-Version", "1.0"],
    ...(simple.Headers ?? []).map(({ Name, Value }: Json): [string, string] => [Name, Value]),
  ];
  // A line break in an address or a header would let its writer add headers of their own.
  if (headers.some((header) => header.some((text) => /[\r\n]/.test(text)))) {
    throw new AwsError("BadRequestException", "A header must not contain a line break");
  }
  const headerLines = headers.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  const boundary = `=_${messageId}`;
  const bodies = parts.map(([type, text]) =>
    [
      `Content-Type: ${type}; charset=utf-8`,
      "Content-Transfer-Encoding: base64",
      "",
      ...(Buffer.from(text)
        .toString("base64")
        .match(/.{1,76}/g) ?? []),
      "",
    ].join("\r\n"),
  );
  if (bodies.length === 1) return Buffer.from(`${headerLines.join("\r\n")}\r\n${bodies[0]}`);
  const multipart = [
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...bodies.map((body) => `--${boundary}\r\n${body}`),
  ];
  return Buffer.from(`${[...headerLines, ...multipart].join("\r\n")}--${boundary}--\r\n`);
}

const encodedWords = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  /^[\x00-\x7f]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
