import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { dynamoDbTable } from "../../../shared/base/table-port/dynamodb/table.ts";
import { isCanceled, type PageStart, type Table } from "../../../shared/base/table-port/port.ts";
import { SqliteTable } from "../../../shared/base/table-port/sqlite/sqlite-table.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { startDynamoDbLocal } from "../../support/table/dynamodb-local.ts";
import { CallGenerator, type RandomCall } from "../../support/table/random-calls.ts";

/**
 * The table of one machine answers as AWS's own emulation of DynamoDB does. `SKEIN_TABLE_CALLS` says how many calls are compared,
 * and `SKEIN_SEED` which.
 */

const calls = Number(process.env.SKEIN_TABLE_CALLS ?? 10_000);
/** At the end of a sequence, the contents of its tables are compared. */
const callsOfSequence = 500;
/** Sequences that run at a time: each waits for the emulation most of its time. */
const lanes = 4;
/** How often a run says how far it is. */
const callsOfLine = 10_000;
type DynamoDbLocal = Awaited<ReturnType<typeof startDynamoDbLocal>>;

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

/** Compares calls that follow each other on tables of their own, which are empty at first. */
async function compareSequence(reference: DynamoDbLocal, lane: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-table-"));
  const local = new SqliteTable(join(folder, "table.db"));
  const connection = await reference.openTable(`sequence-${seed}`, `lane${lane}`);
  const theirs = dynamoDbTable(connection);
  try {
    const generator = new CallGenerator(randomFrom(seed), `sequence-${seed}`);
    for (let count = 1; count <= callsOfSequence; count++) {
      const call = generator.call();
      if (writesTwice(call)) {
        // DynamoDB refuses it. Its emulation looks at the conditions first, and may make the first of the two writes.
        expect(await outcomeOf(local, call)).toBe("refused");
        continue;
      }
      let [ours, expected] = await Promise.all([outcomeOf(local, call), outcomeOf(theirs, call)]);
      for (let page = 1; ; page++) {
        const [next, theirNext] = [nextOf(ours), nextOf(expected)];
        // At the end of a partition, a page that has as many items as asked for may or may not name a next one, which is empty.
        const isAtEnd = call.name === "query" && next !== undefined && theirNext === undefined;
        if (isAtEnd) ours = { ...(ours as object), next: undefined };
        if (!isDeepStrictEqual(ours, expected))
          expect(ours, `page ${page} of call ${count} of sequence ${seed}: ${textOf(call)}`).toEqual(expected);
        if (call.name !== "query" || next === undefined) break;
        const rest = { name: "query", request: { ...call.request, start: next } } as const;
        ours = await outcomeOf(local, rest);
        expected = isAtEnd ? { items: [] } : await outcomeOf(theirs, rest);
      }
    }
    const stored: object[] = [];
    const { client, nameOf } = connection;
    for await (const { Items = [] } of paginateScan({ client }, { TableName: nameOf() })) stored.push(...Items);
    expect(sorted([...local.pages()].flat()), `the contents after sequence ${seed}`).toEqual(sorted(stored));
  } finally {
    await Promise.all([local.close(), connection.delete()]);
    rmSync(folder, { recursive: true });
  }
}

const shown = (_: string, value: unknown) => (value instanceof Set ? { set: [...value] } : value);
const textOf = (call: RandomCall) => JSON.stringify(call, shown).slice(0, 2000);

test(`random calls have the same outcome as with DynamoDB Local (seed ${seed})`, async () => {
  const reference = await startDynamoDbLocal();
  const startedAt = performance.now();
  try {
    let next = 0;
    let compared = 0;
    const compareSome = async (lane: number) => {
      while (next * callsOfSequence < calls) {
        await compareSequence(reference, lane, seed + next++);
        compared += callsOfSequence;
        if (compared % callsOfLine === 0) {
          const perSecond = Math.round((compared / (performance.now() - startedAt)) * 1000);
          process.stderr.write(`${compared} calls without a difference, ${perSecond} a second\n`);
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => compareSome(lane)));
  } finally {
    await reference.stop();
  }
}, 86_400_000);
