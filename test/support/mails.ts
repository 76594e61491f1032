import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sendMissedMailsJob } from "../../shared/messaging/missed-mail/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { findDueMail, listNoted, postponeDueMail } from "../../shared/store/delivery/missed-messages.ts";
import { cursors, findCursor } from "../../shared/store/log/cursors.ts";
import { target } from "./target.ts";
import { eventually } from "./waiting.ts";

/** Reads the mail that the fleet has sent: files in the data folder of a local host, or the messages of MiniStack's SES. */

export interface ReceivedMail {
  subject: string;
  text: string;
  /** Empty if the mail is text only. */
  html: string;
  /** The header lines; only of a local host. */
  headers?: string[];
}

/** The mails to an address, oldest first. */
export const mailsTo = (address: string): Promise<ReceivedMail[]> => {
  const { mailFolder } = target();
  return mailFolder === undefined ? mailsInMiniStack(address) : mailsIn(mailFolder, address);
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

async function mailsInMiniStack(address: string): Promise<ReceivedMail[]> {
  const reply = await fetch(`${target().environment.AWS_ENDPOINT_URL}/_ministack/ses/messages`);
  const { messages } = (await reply.json()) as { messages: Record<string, any[]> };
  return Object.values(messages)
    .flat()
    .filter(({ To }) => To.includes(address))
    .sort((one, other) => one.Timestamp - other.Timestamp)
    .map(({ Subject, BodyText, BodyHtml }) => ({ subject: Subject, text: BodyText, html: BodyHtml }));
}

/** The messages that wait to be mailed to a user, if they are still unread and wanted then. */
export async function listWaiting(userId: number): Promise<number[]> {
  const cursor = await findCursor(cursors.notifications);
  const due = await findDueMail(userId);
  return due?.dueAt === undefined ? [] : (await listNoted(due, cursor?.sequence ?? 0)).messageIds;
}

/** Waits until messages wait to be mailed to a user, and mails them as if the batching period were over. */
export async function skipBatchingPeriod(userId: number, messageIds: readonly number[]): Promise<void> {
  await eventually(async () => {
    const due = await findDueMail(userId);
    const waiting = await listWaiting(userId);
    if (!due || !messageIds.every((id) => waiting.includes(id))) return false;
    return postponeDueMail(due, Math.floor(Date.now() / 1000));
  });
  await enqueue(sendMissedMailsJob, { user_ids: [userId] });
}
