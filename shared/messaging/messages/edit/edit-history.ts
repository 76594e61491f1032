import { jsonBytes } from "../../../services/http/reply-size.ts";
import { previousBytes } from "../../../store/messages/edits.ts";
import type { EditEntry, Message } from "../../../store/messages/messages.ts";

/** A message's edits are bounded, so that reading it and editing it further cost little whatever its sender did. */

/** Older entries are dropped. */
const maxEntries = 500;
/** The entries are in the message's item, of which DynamoDB limits the size to 400 KB. */
const maxEntriesBytes = 60_000;
/** Of older edits, the previous text is dropped, and the entry says so. The newest previous text is always kept. */
const maxPreviousBytes = 2_000_000;
/** Each dropped text is a write of the edit's transaction, which DynamoDB limits to 100; the next edits drop the rest. */
const maxDroppedTexts = 5;

/** A message's edit history with a new entry. */
export function withEditEntry({ editHistory = [] }: Pick<Message, "editHistory">, newest: EditEntry): EditEntry[] {
  const entries = [newest, ...editHistory].slice(0, maxEntries);
  let entriesBytes = jsonBytes(entries);
  while (entries.length > 1 && entriesBytes > maxEntriesBytes) entriesBytes -= jsonBytes(entries.pop());
  let textBytes = entries.reduce((sum, entry) => sum + previousBytes(entry), 0);
  const newestText = entries.findIndex(({ formerText }) => formerText !== undefined);
  let droppedCount = 0;
  for (let index = entries.length - 1; index > newestText; index--) {
    if (textBytes <= maxPreviousBytes || droppedCount === maxDroppedTexts) break;
    const entry = entries[index] as EditEntry;
    if (entry.formerText === undefined) continue;
    const { formerText: _, formerBytes: __, ...rest } = entry;
    entries[index] = { ...rest, textDropped: true };
    textBytes -= previousBytes(entry);
    droppedCount++;
  }
  return entries;
}

/** The numbers of the previous texts that a new edit history no longer refers to. */
export function droppedTexts(
  { editHistory = [] }: Pick<Message, "editHistory">,
  after: readonly EditEntry[],
): number[] {
  const kept = new Set(after.map(({ formerText }) => formerText));
  return editHistory.flatMap(({ formerText }) => (formerText === undefined || kept.has(formerText) ? [] : formerText));
}
