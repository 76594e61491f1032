import { Unavailable } from "../../base/aws/unavailable.ts";
import { batchesOf } from "../../base/batches.ts";
import { recordUnits } from "./calls.ts";
import { batchWrite as writeItems } from "./client.ts";
import { keyOf, nameOf } from "./keys.ts";
import { backOff } from "./retries.ts";
import { forgetStarted } from "./shared-reads.ts";
import type { Item, Key, Write } from "./writes.ts";

const maxConcurrentCalls = 8;
/** DynamoDB's limit for one call. */
const batchSize = 25;

/**
 * Puts and deletes any number of items without a transaction or conditions, `batchSize` in a call: 1 write unit for each KB.
 * Only for idempotent writes, such as those of an index, because a failure may leave some of them made.
 */
export async function batchWrite(puts: readonly Item[], deletes: readonly Key[] = []): Promise<void> {
  const requests = [...puts.map((item) => ({ put: item })), ...deletes.map((key) => ({ delete: keyOf(key) }))];
  const batches = [...batchesOf(requests, batchSize)];
  const worker = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await writeBatch(batch);
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrentCalls, batches.length) }, worker));
  forgetStarted([...puts, ...deletes]);
}

async function writeBatch(batch: readonly ({ put: Item } | { delete: Key })[]): Promise<void> {
  let remaining: { puts: readonly Item[]; deletes: readonly Key[] } = {
    puts: batch.flatMap((write) => ("put" in write ? [write.put] : [])),
    deletes: batch.flatMap((write) => ("delete" in write ? [write.delete] : [])),
  };
  for (let attempt = 0; remaining.puts.length + remaining.deletes.length > 0; attempt++) {
    if (attempt > 0 && !(await backOff(attempt)))
      throw new Unavailable(`DynamoDB left items unprocessed in ${attempt} attempts`);
    const { unprocessed, units } = await writeItems(remaining);
    recordUnits("writeUnits", units);
    remaining = unprocessed;
  }
}

/**
 * The items that writes leave where there is none of them yet, each once; conditions are not checked. For `batchWrite`, which
 * puts whole items: what creates them need not be told twice.
 */
export function itemsOf(writes: readonly Write[]): Item[] {
  const items = new Map<string, Item>();
  for (const write of writes) {
    if (write.kind === "check" || write.kind === "delete") throw new Error(`A ${write.kind} leaves no item`);
    const { pk, sk } = write.kind === "put" ? write.item : write.key;
    const name = nameOf({ pk, sk });
    if (write.kind === "put") {
      items.set(name, write.item);
      continue;
    }
    const { set, setIfAbsent, add = {}, remove = [] } = write.update;
    const before = items.get(name);
    const item: Item = { pk, sk, ...setIfAbsent, ...before, ...set };
    for (const [attribute, value] of Object.entries(add)) {
      const known = before?.[attribute];
      item[attribute] =
        value instanceof Set
          ? new Set([...((known as Set<unknown> | undefined) ?? []), ...value])
          : ((known as number | undefined) ?? 0) + value;
    }
    for (const attribute of remove) delete item[attribute];
    items.set(name, item);
  }
  return [...items.values()];
}
