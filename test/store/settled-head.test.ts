import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { markSettled } from "../../shared/store/log/entry-cache.ts";
import { commit, commitNumbered, readHead } from "../../shared/store/log/log.ts";
import { LogReader } from "../../shared/store/log/reader.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";
import { readEntries } from "../../shared/store/log/stored-entry.ts";
import { writeTombstone } from "../../shared/store/log/tombstones.ts";
import { loadRecentWrites, noteHead } from "../../shared/store/table/log-end.ts";
import { eventKey } from "../../shared/store/table/log-items.ts";
import { getItem } from "../../shared/store/table/reads.ts";
import { recentWrites, withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { put, update } from "../../shared/store/table/writes.ts";
import { leaveSeparateTables, useSeparateTable } from "../support/table/separate-table.ts";
import { forgetCaches } from "../support/test-process.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

const head = { pk: "LOG", sk: "HEAD" };
const now = () => Math.floor(Date.now() / 1000);
const longAgo = () => now() - 20 * 86_400;

/** Simulates a head whose sequence numbers up to `event` were reserved by `at`, and whose entries have expired. */
const putHead = (event: number, at: number | undefined) => transact([put({ ...head, event, message: 0, at })]);

const settledSequence = async () => (await settledHead()).event;

const isTombstone = async (sequence: number): Promise<boolean> => {
  const item = await getItem(eventKey(sequence));
  return item !== undefined && !("audience" in item);
};

/** An event that nobody receives. */
const silentEvent = {
  audience: { kind: "users" as const, userIds: [] },
  event: { type: "alert_words" as const, alert_words: [] },
};

/** Writes an event whose sequence number is reserved before `during` runs; returns the number. */
const say = async (text: string, during = async () => {}) => {
  const { sequence } = await commitNumbered({}, async ({ event: number }) => {
    const isReserved = number > 0;
    if (isReserved) await during();
    const event = {
      audience: { kind: "users" as const, userIds: [] },
      event: { type: "alert_words" as const, alert_words: [text] },
    };
    return { events: [event], sequence: number };
  });
  return sequence;
};

describe.skipIf(!isLocal())(
  "the settled part of the log (in separate tables, which a deployed fleet does not have)",
  () => {
    beforeEach(useSeparateTable);
    afterAll(leaveSeparateTables);

    test("after half a minute without writes the head is settled with a single read", async () => {
      await putHead(250_100, longAgo());

      const { result, trace } = await withTrace(settledSequence);

      expect(result).toBe(250_100);
      expect(trace).toMatchObject({ tableCalls: 1, readUnits: 1, writeUnits: 0 });
    });

    test("a request that knows the head reads the log's end only if something was written since", async () => {
      const calls = async () => {
        const head = await readHead();
        const { trace } = await withTrace(() =>
          withRequestScope(async () => {
            noteHead(head);
            await loadRecentWrites();
          }),
        );
        return trace.tableCalls;
      };
      forgetCaches();
      await putHead(250_100, longAgo());
      expect(await calls()).toBe(0);

      await say("To the manner born");
      expect(await calls()).toBe(1);
      expect(await calls()).toBe(0);

      forgetCaches();
      expect(await calls()).toBeGreaterThan(0);
      await say("Something is rotten");
      expect(await calls()).toBe(1);
    });

    test("entries that settle the head are not read again for the changes that they name", async () => {
      const note = { pk: unique("NOTE"), sk: "NOTE" };
      const write = () => commit({ writes: [update(note, { set: { at: Date.now() } })], events: [silentEvent] });
      const readAsNewProcess = async ({ settled = 0 } = {}) => {
        forgetCaches();
        markSettled(settled);
        return withTrace(() =>
          withRequestScope(async () => {
            noteHead(await settledHead());
            await loadRecentWrites();
            return recentWrites().mayBeStale(note, true);
          }),
        );
      };
      await write();
      const { event: settled } = await readHead();

      // One call reads the head, and one its entries.
      expect(await readAsNewProcess()).toMatchObject({ result: true, trace: { tableCalls: 2 } });

      // A process may know that the first entry is settled, but not which items it names.
      await say("Denmark's a prison");
      const { result, trace } = await readAsNewProcess({ settled });
      expect(result).toBe(true);
      expect(trace.tableCalls).toBeGreaterThan(2);
    });

    test("the first change after a long idle period does not touch expired entries", async () => {
      await putHead(250_100, longAgo());
      const sequence = await say("I was the more deceived");

      const { result, trace } = await withTrace(settledSequence);

      expect(result).toBe(sequence);
      expect(trace).toMatchObject({ tableCalls: 2, writeUnits: 0 });
    });

    test("a head without a time is settled without tombstones for expired entries", async () => {
      await putHead(250_100, undefined);
      const sequence = await say("The rest is silence");

      const { result, trace } = await withTrace(settledSequence);

      expect(result).toBe(sequence);
      expect(trace.writeUnits).toBeLessThan(1000);
      expect(await getItem(eventKey(200_000))).toBeUndefined();
    });

    test("a running writer is waited for, even after a long idle period", async () => {
      await putHead(40, longAgo());
      let settled: Promise<number> | undefined;

      const sequence = await say("Words, words, words", async () => {
        settled = settledSequence();
        await new Promise((done) => setTimeout(done, 300));
      });

      expect(await settled).toBe(sequence);
      expect(await isTombstone(sequence)).toBe(false);
    });

    test("the sequence number of a dead writer gets a tombstone, and the next one becomes settled", async () => {
      const first = await say("one");
      await transact([update(head, { set: { event: first + 1, at: now() } })]);
      const last = await say("three");

      expect(await settledSequence()).toBe(last);

      expect(await isTombstone(first + 1)).toBe(true);
      expect(await readEntries(first - 1, last)).toHaveLength(3);
    });

    test("a process reads the log from the last settled sequence number that it knows", async () => {
      for (let number = 0; number < 60; number++) await say(`${number}`.repeat(100));
      const firstRead = await withTrace(settledSequence);
      const sequence = await say("and one more");

      const { result, trace } = await withTrace(settledSequence);

      expect(result).toBe(sequence);
      expect(firstRead.trace.readUnits).toBeGreaterThan(3);
      expect(trace).toMatchObject({ tableCalls: 2, readUnits: 2 });
    });

    test("later entries do not settle an unsettled sequence number", async () => {
      await transact([put({ ...head, event: 1, message: 0, at: now() })]);
      const second = await say("two");
      const reader = new LogReader(1);
      await reader.next(10);
      expect(reader.sequence).toBe(second);

      expect(await settledSequence()).toBe(second);

      expect(await isTombstone(1)).toBe(true);
    });

    test("what a reader of the log has read counts as recent while the log's end is still being read", async () => {
      const key = { pk: "READ", sk: "MEANWHILE" };
      const before = await say("earlier");
      await commit({ writes: [put({ ...key })], events: [silentEvent] });
      forgetCaches();

      const isRecent = await withRequestScope(async () => {
        await new LogReader(before).next(10);
        return recentWrites().mayBeStale(key, true);
      });

      expect(isRecent).toBe(true);
    });

    test("a restored table is not considered settled beyond its head", async () => {
      for (let number = 0; number < 3; number++) await say(`${number}`);
      const beforeRestore = await settledSequence();
      await putHead(1, now());
      await writeTombstone(1).catch(() => undefined);

      expect(await settledSequence()).toBe(1);
      expect(beforeRestore).toBe(3);
      expect((await readHead()).event).toBe(1);
    });
  },
);
