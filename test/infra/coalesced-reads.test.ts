import { afterAll, beforeEach, expect, test } from "vitest";
import { coalesceReads } from "../../infra/local/coalesced-reads.ts";
import { guardAwsCalls, runGuarded } from "../../infra/local/guard.ts";
import { observeAwsCalls } from "../../shared/aws.ts";
import { getItem } from "../../shared/store/table.ts";
import { transact } from "../../shared/store/transactions.ts";
import { put } from "../../shared/store/writes.ts";
import { traced } from "../../shared/trace.ts";
import "../support/world.ts";

/** What functions of the one-machine host read at the same moment travels as one call, and is theirs alone all the same. */

let travelled: string[] = [];
let failing = 0;
const endCoalescing = coalesceReads();
const endWatching = observeAwsCalls(
  async ({ command }, proceed) => {
    travelled.push(command);
    if (command === "BatchGetItemCommand" && failing-- > 0) throw new Error("as the test wants it");
    return proceed();
  },
  { nearest: true },
);
guardAwsCalls();

// Files share their modules, and each reads as functions do.
afterAll(() => {
  endCoalescing();
  endWatching();
});

const run = crypto.randomUUID();
const key = (number: number) => ({ pk: `COALESCED#${run}`, sk: String(number) });
const write = (number: number, text: string) => transact([put({ ...key(number), text })]);
/** Of so many numbers, the texts that are read in one turn. */
const read = (count: number, options = {}) =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => (await getItem<{ text: string }>(key(number), options))?.text),
  );

beforeEach(async () => {
  await Promise.all([write(0, "zero"), write(1, "one"), write(3, "three")]);
  travelled = [];
  failing = 0;
});

test("reads of one turn are one call, each with its own item or none", async () => {
  const texts = await read(4);

  expect(texts).toEqual(["zero", "one", undefined, "three"]);
  expect(travelled).toEqual(["BatchGetItemCommand"]);
});

test("a read that is alone stays what it is", async () => {
  expect(await read(1)).toEqual(["zero"]);
  expect(travelled).toEqual(["GetItemCommand"]);
});

test("two who read the same item both get it", async () => {
  const found = await Promise.all([getItem(key(1)), getItem(key(1)), getItem(key(0))]);

  expect(found).toMatchObject([{ text: "one" }, { text: "one" }, { text: "zero" }]);
  expect(travelled).toEqual(["BatchGetItemCommand"]);
});

test("strongly consistent reads travel apart from others, and no call has more keys than it may", async () => {
  await Promise.all([read(2), read(2, { consistent: true })]);
  expect(travelled).toEqual(["BatchGetItemCommand", "BatchGetItemCommand"]);
  travelled = [];

  expect(await read(102)).toMatchObject({ 0: "zero", 3: "three", length: 102 });
  expect(travelled).toEqual(["BatchGetItemCommand", "BatchGetItemCommand"]);
});

test("each is charged for its own item, a long one and one that is not there included", async () => {
  await write(1, "ü".repeat(6000));
  travelled = [];

  const costs = await Promise.all(
    [0, 1, 2, 3].map(async (number) => (await traced(() => getItem(key(number), { consistent: true }))).trace),
  );

  expect(costs.map(({ readUnits }) => readUnits)).toEqual([1, 3, 1, 1]);
  expect(costs.map(({ tableCalls }) => tableCalls)).toEqual([1, 1, 1, 1]);
  expect(travelled).toEqual(["BatchGetItemCommand"]);
});

test("where the one call fails, each reads by itself", async () => {
  failing = 1;

  expect(await read(4)).toEqual(["zero", "one", undefined, "three"]);
  expect(travelled.sort()).toEqual(["BatchGetItemCommand", ...Array(4).fill("GetItemCommand")]);
});

test("whoever may not read is refused alone", async () => {
  const [allowed, refused, another] = await Promise.allSettled([
    runGuarded("functions/may/read", { table: "read" }, () => getItem(key(0))),
    runGuarded("functions/may/not", {}, () => getItem(key(1))),
    runGuarded("functions/may/write", { table: "readWrite" }, () => getItem(key(3))),
  ]);

  expect(refused).toMatchObject({ status: "rejected", reason: { name: "AccessDeniedException" } });
  expect([allowed, another]).toMatchObject([{ value: { text: "zero" } }, { value: { text: "three" } }]);
  expect(travelled).toEqual(["BatchGetItemCommand"]);
});
