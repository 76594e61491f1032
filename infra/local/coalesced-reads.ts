import { AsyncLocalStorage } from "node:async_hooks";
import { type AttributeValue, BatchGetItemCommand, type GetItemCommandInput } from "@aws-sdk/client-dynamodb";
import { observeAwsCalls } from "../../shared/aws.ts";
import { db } from "../../shared/store/client.ts";
import { textIn, type WireItem } from "../../shared/store/replies.ts";

/**
 * Functions of one process read many single items at the same moment; here what they ask for in the same turn of the event
 * loop travels to the engine as one call. Each of them has asked for its own item, may do so, and is charged for it alone.
 */

type Attributes = Record<string, AttributeValue>;

interface Read {
  input: GetItemCommandInput;
  /** Makes the read by itself. */
  proceed(): Promise<unknown>;
  settle(output: Promise<unknown> | { output: object }): void;
}

/** Keys that BatchGetItem takes. */
const mostKeys = 100;

/** From now on single items are read so, after all observers so far have seen each. Returns how to end that. */
export function coalesceReads(): () => void {
  // What is made for many is in the name of none of them.
  const outside = AsyncLocalStorage.snapshot();
  let turn: Read[] = [];
  const close = () => {
    const reads = turn;
    turn = [];
    const groups = Map.groupBy(reads, ({ input }) => `${input.TableName} ${input.ConsistentRead}`);
    for (const group of groups.values())
      for (let start = 0; start < group.length; start += mostKeys) void fetch(group.slice(start, start + mostKeys));
  };
  return observeAwsCalls(
    ({ command, input }, proceed) => {
      if (command !== "GetItemCommand" || "ProjectionExpression" in input) return proceed();
      return new Promise((settle) => {
        if (turn.length === 0) outside(() => setImmediate(close));
        turn.push({ input: input as unknown as GetItemCommandInput, proceed: AsyncLocalStorage.bind(proceed), settle });
      });
    },
    { nearest: true },
  );
}

async function fetch(reads: readonly Read[]): Promise<void> {
  const alone = (read: Read) => read.settle(read.proceed());
  if (reads.length === 1) return reads.forEach(alone);
  const { TableName = "", ConsistentRead = false } = reads[0]?.input ?? {};
  const keys = new Map(reads.map(({ input: { Key = {} } }) => [nameOf(Key), Key]));
  try {
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await db().send(
      new BatchGetItemCommand({
        RequestItems: { [TableName]: { Keys: [...keys.values()], ConsistentRead } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    // What one call cannot carry is asked for by itself.
    for (const key of UnprocessedKeys?.[TableName]?.Keys ?? []) keys.delete(nameOf(key));
    const found = (Responses?.[TableName] ?? []) as unknown as WireItem[];
    const items = new Map(found.map((item) => [`${textIn(item, "pk")}\n${textIn(item, "sk")}`, item]));
    const total = ConsumedCapacity?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0) ?? 0;
    const units = unitsOf(keys, items, { total, least: ConsistentRead ? 1 : 0.5 });
    for (const read of reads) {
      const name = nameOf(read.input.Key);
      if (!keys.has(name)) alone(read);
      else {
        const ConsumedCapacity = { TableName, CapacityUnits: units.get(name) };
        read.settle({ output: { Item: items.get(name), ConsumedCapacity, $metadata: {} } });
      }
    }
  } catch {
    // One's failure is not another's, and says what it has to say to each of them by itself.
    reads.forEach(alone);
  }
}

/** What each item cost of the sum that is known: the least, and what long ones cost more by their lengths. */
function unitsOf(
  keys: ReadonlyMap<string, Attributes>,
  items: ReadonlyMap<string, WireItem>,
  { total, least }: { total: number; least: number },
): Map<string, number> {
  const units = new Map([...keys.keys()].map((name) => [name, least]));
  let more = total - least * keys.size;
  if (more <= 0) return units;
  const lengths = [...items].map(([name, item]) => ({ name, length: Buffer.byteLength(JSON.stringify(item)) }));
  for (const { name, length } of lengths.sort((a, b) => b.length - a.length)) {
    const part = Math.min(more, least * Math.floor(length / 4096));
    units.set(name, least + part);
    more -= part;
  }
  return units;
}

const nameOf = ({ pk, sk }: Attributes = {}) => `${pk?.S}\n${sk?.S}`;
