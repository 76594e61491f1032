import { mkdirSync, watch } from "node:fs";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import PostalMime, { addressParser } from "postal-mime";
import { findRecipient } from "../../../shared/services/mail/addresses.ts";
import { acceptMail, maxMailBytes } from "./accept.ts";

/** The headers that name the address to which a mail was delivered, the surest first. */
const recipientHeaders = ["x-original-to", "delivered-to", "envelope-to", "x-forwarded-to", "resent-to", "to", "cc"];
const maxSearchedAddresses = 100;
const refusedEnding = ".refused";

/** A file that has changed since is perhaps still being written. */
const settleMs = 300;

/** Takes each `.eml` file that is put into a folder like a mail that came by SMTP. One that names no address here is renamed. */
export function watchMailFolder(folder: string): { stop(): Promise<void> } {
  mkdirSync(folder, { recursive: true });
  let working = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const takeAll = () => {
    clearTimeout(timer);
    working = working.then(async () => {
      let isComplete = true;
      // One after another, because each may be large.
      for (const name of await emlFilesIn(folder))
        try {
          isComplete = (await take(join(folder, name))) && isComplete;
        } catch (error) {
          console.error(JSON.stringify({ mail: name, error: String(error) }));
        }
      if (!isComplete) timer = setTimeout(takeAll, settleMs);
    });
  };
  const watcher = watch(folder, takeAll);
  // The folder was removed: no reason to end the host.
  watcher.on("error", (error) => console.error(JSON.stringify({ folder, error: String(error) })));
  takeAll();
  return {
    stop: async () => {
      watcher.close();
      await working;
      clearTimeout(timer);
    },
  };
}

const emlFilesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).sort();

/** Whether the file was complete, and is taken or refused. */
async function take(file: string): Promise<boolean> {
  const { mtimeMs, size } = await stat(file);
  const ageMs = Date.now() - mtimeMs;
  if (ageMs >= 0 && ageMs < settleMs) return false;
  const content = size > maxMailBytes ? undefined : await readFile(file);
  const envelope = content && (await envelopeOf(content));
  if (!content || !envelope?.to) await rename(file, `${file}${refusedEnding}`);
  else {
    await acceptMail(content, envelope.from, [envelope.to]);
    await rm(file);
  }
  return true;
}

/** The sender and the recipient that a mail's headers name; undefined if they cannot be read. */
async function envelopeOf(content: Buffer): Promise<{ from: string; to: string | undefined } | undefined> {
  // The header suffices, and nothing that follows can make this slow.
  const [end = content.length] = ["\n\n", "\n\r\n"]
    .map((mark) => content.indexOf(mark))
    .filter((at) => at >= 0)
    .sort((a, b) => a - b);
  const parsed = await PostalMime.parse(content.subarray(0, end)).catch(() => undefined);
  if (!parsed) return undefined;
  const addressesIn = (name: string) =>
    parsed.headers
      .filter(({ key }) => key === name)
      .flatMap(({ value }) => addressParser(value, { flatten: true }).map(({ address = "" }) => address));
  const [from = ""] = addressesIn("return-path");
  for (const address of [...new Set(recipientHeaders.flatMap(addressesIn))].slice(0, maxSearchedAddresses))
    if (await findRecipient(address)) return { from, to: address };
  return { from, to: undefined };
}
