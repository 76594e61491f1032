import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { target } from "./target.ts";

/** What the fleet has mailed: on one machine files in the data folder, in MiniStack what its SES took. */

export interface ReceivedMail {
  subject: string;
  text: string;
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
  const [head = "", body = ""] = mail.split("\r\n\r\n");
  const [, subject = ""] = /^Subject: (.*)$/m.exec(head) ?? [];
  const [, encoded] = /^=\?utf-8\?B\?(.*)\?=$/.exec(subject.trim()) ?? [];
  return {
    subject: encoded === undefined ? subject.trim() : Buffer.from(encoded, "base64").toString("utf8"),
    text: Buffer.from(body, "base64").toString("utf8"),
  };
}

async function takenBySes(address: string): Promise<ReceivedMail[]> {
  const reply = await fetch(`${target().environment.AWS_ENDPOINT_URL}/_ministack/ses/messages`);
  const { messages } = (await reply.json()) as { messages: Record<string, any[]> };
  return Object.values(messages)
    .flat()
    .filter(({ To }) => To.includes(address))
    .sort((one, other) => one.Timestamp - other.Timestamp)
    .map(({ Subject, BodyText }) => ({ subject: Subject, text: BodyText }));
}
