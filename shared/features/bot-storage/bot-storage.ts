import { batchesOf } from "../../base/batches.ts";
import { creationLimits } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { findBotEntries, listBotEntries, readBotStorageUsage, writeBotEntries } from "../../store/users/bot-storage.ts";

/** DynamoDB allows 100 items in one transaction, and the storage's size is one of them. */
const maxEntriesAtOnce = 90;

/** What an entry takes of a bot's storage. */
export const sizeInBytes = (name: string, value: string) => Buffer.byteLength(name) + Buffer.byteLength(value);

/** Returns the values of the given keys, or of all keys. Throws a 400 if a key does not exist. */
export async function readBotStorage(
  botId: number,
  names: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const uniqueNames = names && [...new Set(names)];
  const entries = uniqueNames ? await findBotEntries(botId, uniqueNames) : await listBotEntries(botId);
  if (entries.includes(undefined)) throw noSuchKey();
  // No prototype: a name may be "__proto__".
  const storage: Record<string, string> = Object.create(null);
  for (const entry of entries) if (entry) storage[entry.name] = entry.value;
  return storage;
}

/** Stores values by key: all of them, or none (a 400) if they exceed a limit. */
export async function writeBotStorage(botId: number, values: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, value] of values) {
    if (Buffer.byteLength(name) > limits.botStorageNameBytes || Buffer.byteLength(value) > limits.botStorageValueBytes)
      throw badRequest(
        `An entry of a bot's storage has a name of at most ${limits.botStorageNameBytes} bytes and a value of at most ${limits.botStorageValueBytes}.`,
      );
  }
  if (values.size > maxEntriesAtOnce) throw badRequest(`At most ${maxEntriesAtOnce} entries can be stored at once.`);
  await writeEntries(botId, values);
}

/** Removes the given keys, or all keys. If one does not exist, throws a 400 and removes nothing. */
export async function removeFromBotStorage(botId: number, names: readonly string[] | undefined): Promise<void> {
  const existingNames = Object.keys(await readBotStorage(botId, names));
  for (const batch of batchesOf(existingNames, maxEntriesAtOnce))
    await writeEntries(botId, new Map(batch.map((name) => [name, undefined])));
}

/** Writes entries, or deletes those with an undefined value, and updates the storage's size in the same transaction. */
async function writeEntries(botId: number, values: ReadonlyMap<string, string | undefined>): Promise<void> {
  if (values.size === 0) return;
  await retryOnConflict(
    async () => {
      const [before, entries] = await Promise.all([
        readBotStorageUsage(botId),
        findBotEntries(botId, [...values.keys()]),
      ]);
      const after = { ...before };
      for (const entry of entries) {
        if (!entry) continue;
        after.entries -= 1;
        after.bytes -= sizeInBytes(entry.name, entry.value);
      }
      for (const [name, value] of values) {
        if (value === undefined) continue;
        after.entries += 1;
        after.bytes += sizeInBytes(name, value);
      }
      // A write that makes the storage smaller is allowed even above the limits.
      if (after.bytes > limits.botStorageBytes && after.bytes > before.bytes)
        throw badRequest(
          `Cannot set state. Request would require ${after.bytes} bytes storage. The current storage limit is ${limits.botStorageBytes}.`,
        );
      if (after.entries > creationLimits.botStorageEntry.max && after.entries > before.entries)
        throw badRequest(`Cannot set state. A bot can have at most ${creationLimits.botStorageEntry.max} entries.`);
      await transact(writeBotEntries(botId, values, before, after));
    },
    { exhausted: () => badRequest("The bot's storage was changed by another request; try again.") },
  );
}

const noSuchKey = () => badRequest("Key does not exist.");
