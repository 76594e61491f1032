import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { SqliteTable } from "../../../infra/local/table/sqlite-table.ts";
import { dynamoDbTable } from "../../../shared/table/dynamodb/table.ts";
import { isCanceled, type PageStart, type Table } from "../../../shared/table/port.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { startDynamoDbLocal } from "../../support/table/dynamodb-local.ts";
import { CallGenerator, type RandomCall } from "../../support/table/random-calls.ts";

/**
 * The table of one machine answers as AWS's own emulation of DynamoDB does. `SKEIN_TABLE_CALLS` says how many calls are compared,
 * and `SKEIN_SEED` which.
 */

const calls = Number(process.env.SKEIN_TABLE_CALLS ?? 4000);
const callsBetweenScans = 500;

/** What a caller sees of a call, but for its units, which AWS's emulation counts otherwise than DynamoDB. */
async function outcomeOf(table: Table, { name, request }: RandomCall): Promise<unknown> {
  try {
    const { units: _, ...result } = (await table[name](request as never)) as { units: number; items?: object[] };
    return comparable(name === "batchGet" ? { ...result, items: sorted(result.items ?? []) } : result);
  } catch (error) {
    // The emulation refuses the whole call when a part of it cannot be made, where DynamoDB has a reason for it.
    const isInvalid = isCanceled(error) && error.CancellationReasons.some(({ Code }) => Code === "ValidationError");
    if (isCanceled(error) && !isInvalid)
      return comparable(error.CancellationReasons.map(({ Code, existing }) => ({ Code, existing })));
    const { name } = error as Error;
    return /^(ConditionalCheckFailed|TransactionConflict)Exception$/.test(name) ? name : "refused";
  }
}

const nextOf = (outcome: unknown) => (outcome as { next?: PageStart } | undefined)?.next;

/** Whether a transaction has two writes of one item. */
function writesTwice({ name, request }: RandomCall): boolean {
  if (name !== "transact") return false;
  const keys = request.writes.map((write) => (write.kind === "put" ? write.item : write.key));
  return new Set(keys.map(({ pk, sk }) => `${pk}\n${sk}`)).size < keys.length;
}

const sorted = (items: readonly object[]) =>
  items.map((item) => comparable(item)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The same for values that are equal: sets have no order, and absent properties are undefined. */
function comparable(value: unknown): unknown {
  if (value instanceof Set) return { set: [...value].map(comparable).map(String).sort(), of: typeof [...value][0] };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, comparable(one)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test(`random calls have the same outcome as with DynamoDB Local (seed ${seed})`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-table-"));
  const local = new SqliteTable(join(folder, "table.db"));
  const reference = await startDynamoDbLocal();
  const theirs = dynamoDbTable(reference.connection);
  try {
    const generator = new CallGenerator(randomFrom(seed));
    for (let count = 1; count <= calls; count++) {
      const call = generator.call();
      if (writesTwice(call)) {
        // DynamoDB refuses it. Its emulation looks at the conditions first, and may make the first of the two writes.
        expect(await outcomeOf(local, call)).toBe("refused");
        continue;
      }
      let [ours, expected] = await Promise.all([outcomeOf(local, call), outcomeOf(theirs, call)]);
      for (let page = 1; ; page++) {
        const [next, theirNext] = [nextOf(ours), nextOf(expected)];
        const text = `page ${page} of call ${count} of seed ${seed}: ${JSON.stringify(call, shown).slice(0, 2000)}`;
        // At the end of a partition, a page that has as many items as asked for may or may not name a next one, which is empty.
        const isAtEnd = call.name === "query" && next !== undefined && theirNext === undefined;
        expect(isAtEnd ? { ...(ours as object), next: undefined } : ours, text).toEqual(expected);
        if (call.name !== "query" || next === undefined) break;
        const rest = { name: "query", request: { ...call.request, start: next } } as const;
        ours = await outcomeOf(local, rest);
        expected = isAtEnd ? { items: [] } : await outcomeOf(theirs, rest);
      }
      if (count % callsBetweenScans === 0 || count === calls) {
        const { client, nameOf } = reference.connection;
        const stored: object[] = [];
        for await (const { Items = [] } of paginateScan({ client }, { TableName: nameOf() })) stored.push(...Items);
        expect(sorted([...local.pages()].flat())).toEqual(sorted(stored));
      }
    }
  } finally {
    await Promise.all([local.close(), reference.stop()]);
    rmSync(folder, { recursive: true });
  }
}, 3_600_000);

const shown = (_: string, value: unknown) => (value instanceof Set ? { set: [...value] } : value);
