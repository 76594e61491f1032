import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { Unavailable } from "../../aws/unavailable.ts";
import { batchesOf } from "../../batches.ts";
import { recordCapacity, tableName } from "./calls.ts";
import { db } from "./client.ts";
import { keyOf, nameOf } from "./keys.ts";
import { backOff } from "./retries.ts";
import { forgetStarted } from "./shared-reads.ts";
import type { Item, Key, Write } from "./writes.ts";

type WriteRequest = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

const maxConcurrentCalls = 8;
/** DynamoDB's limit for one call. */
const batchSize = 25;

/**
 * Puts and deletes any number of items without a transaction or conditions, `batchSize` in a call: 1 write unit for each KB.
 * Only for idempotent writes, such as those of an index, because a failure may leave some of them made.
 */
export async function batchWrite(puts: readonly Item[], deletes: readonly Key[] = []): Promise<void> {
  const requests: WriteRequest[] = [
    ...puts.map((item) => ({ PutRequest: { Item: item } })),
    ...deletes.map((key) => ({ DeleteRequest: { Key: keyOf(key) } })),
  ];
  const batches = [...batchesOf(requests, batchSize)];
  const worker = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await writeBatch(batch);
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrentCalls, batches.length) }, worker));
  forgetStarted([...puts, ...deletes]);
}

async function writeBatch(batch: WriteRequest[]): Promise<void> {
  let remaining = batch;
  for (let attempt = 0; remaining.length > 0; attempt++) {
    if (attempt > 0 && !(await backOff(attempt)))
      throw new Unavailable(`DynamoDB left items unprocessed in ${attempt} attempts`);
    const { UnprocessedItems, ConsumedCapacity } = await db().send(
      new BatchWriteCommand({ RequestItems: { [tableName()]: remaining }, ReturnConsumedCapacity: "TOTAL" }),
    );
    recordCapacity("writeUnits", ConsumedCapacity);
    remaining = UnprocessedItems?.[tableName()] ?? [];
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
