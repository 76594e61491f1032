import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { observed } from "../aws.ts";

/** A mail to one person, as text and, where there is `html`, in both forms. */
export interface Mail {
  /** Tells it from others: a mail that had to be sent twice has it twice. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** Where its reader says that they do not want such mails. */
  settingsUrl?: string | undefined;
}

let client: SESv2Client | undefined;

/** Hands a mail to Amazon SES. False where the operator has named no address to send from: then no mail leaves. */
export async function sendMail({ id, to, subject, text, html, settingsUrl }: Mail): Promise<boolean> {
  const from = process.env.MAIL_FROM;
  if (!from) return false;
  client ??= observed(new SESv2Client({}));
  const content = (Data: string) => ({ Data, Charset: "UTF-8" });
  const headers: Record<string, string> = {
    // Nobody's absence is to be answered to us (RFC 3834).
    "Auto-Submitted": "auto-generated",
    "X-Skein-Mail": id,
    ...(settingsUrl && { "List-Unsubscribe": `<${settingsUrl}>` }),
  };
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
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

/** A line break in a header would begin another one. */
const oneLine = (text: string) => text.replace(/[\r\n]+/g, " ");
