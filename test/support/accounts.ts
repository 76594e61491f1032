import { expect } from "vitest";
import { connectQueue } from "./connection.ts";
import { type CallOptions, type Reply, send } from "./http.ts";
import { mailsTo } from "./mails.ts";
import { sendDirect } from "./messages.ts";
import { eventually } from "./waiting.ts";
import { aPerson, type Person } from "./world.ts";

/** Uses the account pages like a browser without scripts, and checks what an account gives access to. */

type Fields = Record<string, string> | [name: string, value: string][];
const encoded = (fields: Fields) => new URLSearchParams(fields).toString();

export const open = (path: string, options: CallOptions = {}): Promise<Reply> => send("GET", path, undefined, options);
export const submit = (path: string, fields: Fields, options: CallOptions = {}): Promise<Reply> =>
  send("POST", path, encoded(fields), options);

/** The path of a link, whose host may differ from the one that tests use. */
export const pathOf = (link: string) => new URL(link).pathname;

/** Waits until an address has `count` mails with `subject` in the subject; returns the path of the link in the newest. */
export async function linkMailedTo(address: string, subject: string, count = 1): Promise<string> {
  const mails = await eventually(async () => {
    const found = (await mailsTo(address)).filter((mail) => mail.subject.includes(subject));
    return found.length >= count && found;
  });
  const { text, html } = mails.at(-1) ?? { text: "", html: "" };
  const [link = ""] = /https?:\/\/\S+/.exec(text) ?? [];
  // The text and the HTML contain the same link, and the HTML loads no remote content.
  expect(html).toContain(link);
  expect(html).not.toMatch(/<(img|link|script|style)|url\(/);
  return pathOf(link);
}

/** The credentials that a page passes to the web client after a login. */
export function signedInCredentials({ status, bytes }: Reply): { email: string; apiKey: string } {
  const html = bytes.toString();
  const [, email = "", apiKey = ""] = /data-email="([^"]+)" data-key="([^"]+)"/.exec(html) ?? [];
  expect([status, apiKey], html.slice(0, 2000)).toEqual([200, expect.stringMatching(/^[A-Za-z0-9]{32}$/)]);
  return { email, apiKey };
}

/** A person's connection to which the server has posted, so that it knows the account, and a check that it posts nothing more. */
export async function knownConnection(person: Person) {
  const sender = await aPerson("Orsino");
  const queue = await person.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] });
  const connection = await connectQueue(person, queue);
  await sendDirect(sender, [person], "before");
  await expect.poll(() => connection.events.map(({ message }) => message.content)).toEqual(["before"]);
  const expectEnd = async () => {
    await sendDirect(sender, [person], "after");
    await expect.poll(() => connection.closeCode).toBeDefined();
    expect(connection.events).toHaveLength(1);
  };
  return { queue, connection, expectEnd };
}
