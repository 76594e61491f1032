import { hashOf } from "../table/keys.ts";
import { getItem, getItems, queryItems } from "../table/reads.ts";
import { put, remove, update, type Write } from "../table/writes.ts";

interface BotEntry {
  name: string;
  value: string;
}

/** The size of a bot's storage. Each write increments the version, so that concurrent writes conflict. */
interface BotStorageUsage {
  entries: number;
  bytes: number;
  version: number;
}

const usageKey = (botId: number) => ({ pk: `USER#${botId}`, sk: "BOTSTORAGE" });
const entryKey = (botId: number, name: string) => ({ pk: `USER#${botId}`, sk: `BOTENTRY#${hashOf(name)}` });

export const readBotStorageUsage = async (botId: number): Promise<BotStorageUsage> =>
  (await getItem<BotStorageUsage>(usageKey(botId))) ?? { entries: 0, bytes: 0, version: 0 };

/** The entries of these names, undefined where there is none; 1 read unit for each 4 KB of each. */
export const findBotEntries = (botId: number, names: readonly string[]) =>
  getItems<BotEntry>(names.map((name) => entryKey(botId, name)));

/** All entries; 1 read unit for each 4 KB. */
export const listBotEntries = (botId: number) => queryItems<BotEntry>({ pk: `USER#${botId}`, prefix: "BOTENTRY#" });

/**
 * Writes entries, or deletes those with an undefined value; fails its transaction when the storage has changed since `before`.
 */
export const writeBotEntries = (
  botId: number,
  entries: ReadonlyMap<string, string | undefined>,
  before: BotStorageUsage,
  after: Omit<BotStorageUsage, "version">,
): Write[] => [
  update(
    usageKey(botId),
    { set: { entries: after.entries, bytes: after.bytes, version: before.version + 1 } },
    { equals: { version: before.version === 0 ? undefined : before.version } },
  ),
  ...[...entries].map(([name, value]) =>
    value === undefined
      ? remove(entryKey(botId, name))
      : put({ ...entryKey(botId, name), name, value } satisfies BotEntry & { pk: string; sk: string }),
  ),
];
