import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { observed } from "../aws.ts";

/** A mail of plain text to one person. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

let client: SESv2Client | undefined;

/** Hands a mail to Amazon SES. False where the operator has named no address to send from: then no mail leaves. */
export async function sendMail({ to, subject, text }: Mail): Promise<boolean> {
  const from = process.env.MAIL_FROM;
  if (!from) return false;
  client ??= observed(new SESv2Client({}));
  const content = (Data: string) => ({ Data, Charset: "UTF-8" });
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: content(oneLine(subject)), Body: { Text: content(text) } } },
    }),
  );
  return true;
}

/** A line break in a header would begin another one. */
const oneLine = (text: string) => text.replace(/[\r\n]+/g, " ");
