import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { getItems } from "../table/reads.ts";
import { create, remove, type Write } from "../table/writes.ts";
import { type EditEntry, type Message, messagePartition } from "./messages.ts";

/** A message's content before an edit, in an item of its own, so that reading messages does not pay for it. */
export interface PreviousContent {
  messageId: number;
  /** The sequence number of the edit that replaced it. */
  number: number;
  content: string;
  html: string;
}

const key = ({ messageId, number }: Pick<PreviousContent, "messageId" | "number">) => ({
  pk: messagePartition(messageId),
  sk: `EDIT#${padded(number)}`,
});

export const createPreviousContent = (previous: PreviousContent): Write =>
  create({ ...key(previous), ...packHtml(previous) });

export const deletePreviousContent = (messageId: number, number: number): Write => remove(key({ messageId, number }));

/** The bytes of a message's text and HTML, as an edit that replaces them records them. */
export const contentBytes = ({ content, html }: Pick<PreviousContent, "content" | "html">): number =>
  Buffer.byteLength(content) + Buffer.byteLength(html);

/** The bytes of the previous content that an edit refers to; 0 if there is none. */
export const previousBytes = ({ formerBytes = 0 }: EditEntry): number => formerBytes;

/** How many bytes of previous contents are read: of one message, and of all together. */
export interface PreviousLimits {
  messageBytes: number;
  totalBytes: number;
}

/**
 * The newest previous contents of the given messages, by `number`, within the limits; 0.5 read units for each edit of the
 * content. If all messages together exceed the limit, those with the most bytes get less.
 */
export async function findPreviousContents(
  messages: readonly Message[],
  { messageBytes, totalBytes }: PreviousLimits,
): Promise<Map<number, PreviousContent>> {
  const edited = messages.filter(({ editHistory = [] }) => editHistory.some((entry) => entry.formerText !== undefined));
  if (edited.length === 0) return new Map();
  let share = messageBytes;
  let chosen = edited.map((message) => newestWithin(message, share));
  while (chosen.reduce((sum, { bytes }) => sum + bytes, 0) > totalBytes) {
    share = Math.min(share, totalBytes) / 2;
    chosen = edited.map((message) => newestWithin(message, share));
  }
  const found = await getItems<WithPackedHtml<PreviousContent>>(
    chosen.flatMap(({ keys }) => keys),
    corrected,
  );
  return new Map(
    found.flatMap((item) => {
      const previous = item && unpackHtml<PreviousContent>(item);
      return previous ? [[previous.number, previous]] : [];
    }),
  );
}

/** The keys of a message's newest previous contents that fit into `maxBytes`. */
function newestWithin({ id, editHistory = [] }: Message, maxBytes: number) {
  const keys: ReturnType<typeof key>[] = [];
  let bytes = 0;
  for (const entry of editHistory) {
    if (entry.formerText === undefined) continue;
    if (bytes + previousBytes(entry) > maxBytes) break;
    bytes += previousBytes(entry);
    keys.push(key({ messageId: id, number: entry.formerText }));
  }
  return { keys, bytes };
}
