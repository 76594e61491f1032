import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { Unavailable } from "../../aws/unavailable.ts";
import { recordCapacity, tableName } from "./calls.ts";
import { db } from "./client.ts";
import { keyOf } from "./keys.ts";
import { backOff } from "./retries.ts";
import { forgetStarted } from "./shared-reads.ts";
import type { Item, Key } from "./writes.ts";

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
  const batches = Array.from({ length: Math.ceil(requests.length / batchSize) }, (_, i) =>
    requests.slice(i * batchSize, (i + 1) * batchSize),
  );
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
