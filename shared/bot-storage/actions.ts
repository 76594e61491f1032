import { badRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { retryOnConflict } from "../store/table/conflicts.ts";
import { transact } from "../store/table/transactions.ts";
import { findBotEntries, listBotEntries, readBotStorageUsage, writeBotEntries } from "../store/users/bot-storage.ts";

/** The maximum number of entries in one transaction. */
const perTransaction = 90;

const sizeOf = (name: string, value: string) => Buffer.byteLength(name) + Buffer.byteLength(value);

/** Returns the values of the given keys, or of all. Throws if a key does not exist. */
export async function readBotStorage(
  botId: number,
  names: readonly string[] | undefined,
): Promise<Record<string, string>> {
  const unique = names && [...new Set(names)];
  const found = unique ? await findBotEntries(botId, unique) : await listBotEntries(botId);
  if (found.includes(undefined)) throw noSuchKey();
  // No prototype: a name may be "__proto__".
  const storage: Record<string, string> = Object.create(null);
  for (const entry of found) if (entry) storage[entry.name] = entry.value;
  return storage;
}

/** Stores values by key: all of them, or none if they exceed the bot's quota. */
export async function writeBotStorage(botId: number, values: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, value] of values) {
    if (Buffer.byteLength(name) > limits.botStorageNameBytes || Buffer.byteLength(value) > limits.botStorageValueBytes)
      throw badRequest(
        `An entry of a bot's storage has a name of at most ${limits.botStorageNameBytes} bytes and a value of at most ${limits.botStorageValueBytes}.`,
      );
  }
  if (values.size > perTransaction) throw badRequest(`At most ${perTransaction} entries can be stored at once.`);
  await change(botId, values);
}

/** Removes the given keys, or all. If a key does not exist, throws and removes nothing. */
export async function removeFromBotStorage(botId: number, names: readonly string[] | undefined): Promise<void> {
  const all = Object.keys(await readBotStorage(botId, names));
  for (let start = 0; start < all.length; start += perTransaction)
    await change(botId, new Map(all.slice(start, start + perTransaction).map((name) => [name, undefined])));
}

async function change(botId: number, values: ReadonlyMap<string, string | undefined>): Promise<void> {
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
        after.bytes -= sizeOf(entry.name, entry.value);
      }
      for (const [name, value] of values) {
        if (value === undefined) continue;
        after.entries += 1;
        after.bytes += sizeOf(name, value);
      }
      if (after.bytes > limits.botStorageBytes && after.bytes > before.bytes)
        throw badRequest(
          `Cannot set state. Request would require ${after.bytes} bytes storage. The current storage limit is ${limits.botStorageBytes}.`,
        );
      if (after.entries > limits.botStorageEntries && after.entries > before.entries)
        throw badRequest(`Cannot set state. A bot can have at most ${limits.botStorageEntries} entries.`);
      await transact(writeBotEntries(botId, values, before, after));
    },
    { exhausted: () => badRequest("The bot's storage was changed by another request; try again.") },
  );
}

const noSuchKey = () => badRequest("Key does not exist.");
