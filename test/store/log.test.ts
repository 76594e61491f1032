import { beforeAll, expect, test } from "vitest";
import type { LoggedEvent } from "../../shared/store/log/entry.ts";
import { commitNumbered, readHead } from "../../shared/store/log/log.ts";
import { writeTombstone } from "../../shared/store/log/tombstones.ts";
import { padded } from "../../shared/store/table/keys.ts";
import { getItem, queryItems } from "../../shared/store/table/reads.ts";
import { ConditionFailed, transact } from "../../shared/store/table/transactions.ts";
import { create, put } from "../../shared/store/table/writes.ts";
import "../support/world.ts";

const note = (text: string): LoggedEvent => ({
  audience: { kind: "users", userIds: [0] },
  event: { type: "alert_words", alert_words: [text] },
});
const keyAt = (sequence: number) => ({ pk: `LOG#${Math.floor(sequence / 1000)}`, sk: padded(sequence) });
const isTombstone = async (sequence: number): Promise<boolean> => {
  const item = await getItem(keyAt(sequence));
  return item !== undefined && !("audience" in item);
};
const aPartition = () => `TEST#${Math.random()}`;

let headBefore: number;
beforeAll(async () => {
  headBefore = (await readHead()).event;
});

test("a change and its events are written atomically, ordered by sequence number", async () => {
  const pk = aPartition();

  const { first } = await commitNumbered({}, (numbers) => ({
    writes: [create({ pk, sk: "x" })],
    events: [note("one"), note("two")],
    first: numbers.event,
  }));

  expect(await getItem({ pk, sk: "x" })).toBeDefined();
  const [one, two] = await Promise.all([getItem<any>(keyAt(first)), getItem<any>(keyAt(first + 1))]);
  expect([one, two].map((entry) => entry?.event)).toMatchObject([{ alert_words: ["one"] }, { alert_words: ["two"] }]);
  expect(one?.expiresAt).toBeGreaterThan(Date.now() / 1000 + 7 * 86_400);
});

test("a failed condition writes neither the change nor its events, and leaves tombstones", async () => {
  const pk = aPartition();
  await transact([create({ pk, sk: "x", value: 1 })]);
  let reserved = 0;

  const failing = commitNumbered({}, (numbers) => {
    reserved = numbers.event;
    return { writes: [put({ pk, sk: "y" }), create({ pk, sk: "x", value: 2 })], events: [note("never")] };
  });

  await expect(failing).rejects.toThrow(ConditionFailed);
  expect(await queryItems({ pk })).toHaveLength(1);
  expect(await isTombstone(reserved)).toBe(true);
});

test("a writer retries with new numbers when a reader has written a tombstone under its sequence number", async () => {
  const sequences: number[] = [];
  const pk = aPartition();

  const { messageId } = await commitNumbered({ messages: 1 }, async ({ event: sequence, message: messageId }) => {
    const isReserved = sequence > 0;
    if (isReserved) sequences.push(sequence);
    if (sequences.length === 1) await writeTombstone(sequence);
    return { writes: [put({ pk, sk: String(messageId) })], events: [note("late")], messageId };
  });

  expect(sequences).toHaveLength(2);
  expect(sequences[1]).toBeGreaterThan(sequences[0] as number);
  expect(await queryItems({ pk })).toMatchObject([{ sk: String(messageId) }]);
});

test("a plan whose number of events depends on its numbers is refused before it is written", async () => {
  const pk = aPartition();

  const failing = commitNumbered({}, ({ event: sequence }) => ({
    writes: [put({ pk, sk: "x" })],
    events: sequence > 0 ? [note("one"), note("two")] : [note("one")],
  }));

  await expect(failing).rejects.toThrow(/1 events/);
  expect(await queryItems({ pk })).toEqual([]);
});

test("concurrent writers get distinct sequence numbers", async () => {
  const committed = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      commitNumbered({}, (numbers) => ({
        events: Array.from({ length: 1 + (index % 3) }, (__, part) => note(`${index}.${part}`)),
        sequences: Array.from({ length: 1 + (index % 3) }, (__, part) => numbers.event + part),
      })),
    ),
  );

  const numbers = committed.flatMap(({ sequences }) => sequences);
  expect(new Set(numbers).size).toBe(60);
  expect(Math.min(...numbers)).toBeGreaterThan(headBefore);
});
