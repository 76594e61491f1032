import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { observed } from "../../base/aws/observe.ts";
import { mailConfigurationSet, mailFrom } from "../../base/environment.ts";

/** An e-mail to one recipient, as text and optionally HTML. */
export interface Mail {
  /** Identifies the mail, even if it is sent twice. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** What ends mails of this kind when a mail program posts to it (RFC 8058). */
  unsubscribeUrl?: string | undefined;
  /** The address that receives replies; absent: the sender's. */
  replyTo?: string | undefined;
  /** The Message-ID of a mail that never existed, as whose answers mail programs show all mails with it. */
  thread?: string | undefined;
  /** What mail programs sort the mail by (RFC 2919). */
  listId?: string | undefined;
}

let client: SESv2Client | undefined;

/** Sends an e-mail through Amazon SES. False if the operator has configured no sender address. */
export async function sendMail({ id, to, subject, text, html, ...mail }: Mail): Promise<boolean> {
  const from = mailFrom();
  if (!from) return false;
  client ??= observed(new SESv2Client({}));
  const configurationSet = mailConfigurationSet();
  const content = (Data: string) => ({ Data, Charset: "UTF-8" });
  const headers: Record<string, string> = {
    // Suppress out-of-office replies (RFC 3834).
    "Auto-Submitted": "auto-generated",
    "X-Skein-Mail": id,
    ...(mail.unsubscribeUrl && {
      "List-Unsubscribe": `<${mail.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
    ...(mail.thread && { "In-Reply-To": mail.thread, References: mail.thread }),
    ...(mail.listId && { "List-Id": mail.listId }),
  };
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      ...(configurationSet && { ConfigurationSetName: configurationSet }),
      Destination: { ToAddresses: [to] },
      ...(mail.replyTo && { ReplyToAddresses: [mail.replyTo] }),
      Content: {
        Simple: {
          Subject: content(oneLine(subject)),
          Body: { Text: content(text), ...(html !== undefined && { Html: content(html) }) },
          Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
        },
      },
    }),
  );
  return true;
}

/** Prevents header injection by line breaks. */
const oneLine = (text: string) => text.replace(/[\r\n]+/g, " ");
