import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { getItem } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";
import { remove, type Write } from "../table/writes.ts";

/** What an incoming-webhook bot last received from a service. */
interface LastPayload {
  compressed: Uint8Array;
  /** UNIX time in seconds. */
  receivedAt: number;
  expiresAt: number;
}

const retentionSeconds = 7 * secondsPerDay;

const key = (botId: number) => ({ pk: `PAYLOAD#${botId}`, sk: "PAYLOAD" });

/** 1 write unit for each KB. */
export async function putLastPayload(botId: number, compressed: Uint8Array): Promise<void> {
  const receivedAt = nowSeconds();
  await updateItem(key(botId), { set: { compressed, receivedAt, expiresAt: receivedAt + retentionSeconds } });
}

export const deleteLastPayload = (botId: number): Write => remove(key(botId));

/** 1 read unit. The table's TTL removes items some hours late. */
export async function findLastPayload(botId: number): Promise<LastPayload | undefined> {
  const found = await getItem<LastPayload>(key(botId));
  return found && found.expiresAt > nowSeconds() ? found : undefined;
}
