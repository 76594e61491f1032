import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { enqueue } from "../../shared/jobs/queues.ts";
import { sendMissedJob } from "../../shared/missed-mail/jobs.ts";
import { findDueMail, listMissedIds, postponeDueMail } from "../../shared/store/delivery/missed-messages.ts";
import { target } from "./target.ts";
import { eventually } from "./waiting.ts";

/** What the fleet has mailed: on one machine files in the data folder, in MiniStack what its SES took. */

export interface ReceivedMail {
  subject: string;
  text: string;
  /** Empty where the mail has one form. */
  html: string;
  /** Its lines, where the host keeps them: the local one. */
  headers?: string[];
}

/** The mails to an address, oldest first. */
export const mailsTo = (address: string): Promise<ReceivedMail[]> => {
  const { mailFolder } = target();
  return mailFolder === undefined ? takenBySes(address) : mailsIn(mailFolder, address);
};

/** The mails to an address in a local host's folder. */
export async function mailsIn(folder: string, address: string): Promise<ReceivedMail[]> {
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(
    names
      .filter((name) => name.endsWith(".eml"))
      .sort()
      .map((name) => readFile(join(folder, name), "utf8")),
  );
  return mails.filter((mail) => mail.includes(`\r\nTo: ${address}\r\n`)).map(parsed);
}

function parsed(mail: string): ReceivedMail {
  const [head = "", ...rest] = mail.split("\r\n\r\n");
  const headers = head.split("\r\n");
  const [, subject = ""] = /^Subject: (.*)$/m.exec(head) ?? [];
  const [, encoded] = /^=\?utf-8\?B\?(.*)\?=$/.exec(subject.trim()) ?? [];
  const [, boundary] = /^Content-Type: multipart\/alternative; boundary="(.*)"$/m.exec(head) ?? [];
  const bodies =
    boundary === undefined
      ? [rest.join("")]
      : rest
          .join("\r\n\r\n")
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => part.split("\r\n\r\n")[1]);
  const [text = "", html = ""] = bodies.map((body = "") => Buffer.from(body, "base64").toString("utf8"));
  return {
    subject: encoded === undefined ? subject.trim() : Buffer.from(encoded, "base64").toString("utf8"),
    text,
    html,
    headers,
  };
}

async function takenBySes(address: string): Promise<ReceivedMail[]> {
  const reply = await fetch(`${target().environment.AWS_ENDPOINT_URL}/_ministack/ses/messages`);
  const { messages } = (await reply.json()) as { messages: Record<string, any[]> };
  return Object.values(messages)
    .flat()
    .filter(({ To }) => To.includes(address))
    .sort((one, other) => one.Timestamp - other.Timestamp)
    .map(({ Subject, BodyText, BodyHtml }) => ({ subject: Subject, text: BodyText, html: BodyHtml }));
}

/** Once some messages wait to be mailed to somebody, has them mailed as if the batching period were over. */
export async function passPeriod(userId: number, messageIds: readonly number[]): Promise<void> {
  await eventually(async () => {
    const due = await findDueMail(userId);
    const waiting = await listMissedIds(userId);
    if (!due || !messageIds.every((id) => waiting.includes(id))) return false;
    return postponeDueMail(due, Math.floor(Date.now() / 1000));
  });
  await enqueue(sendMissedJob, { user_id: userId });
}
