import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { cacheEntries } from "../../shared/store/log/entry-cache.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import { LogReader } from "../../shared/store/log/reader.ts";
import { readEntries } from "../../shared/store/log/stored-entry.ts";
import { corrected } from "../../shared/store/table/consistency.ts";
import { getItem, getItems, queryItems } from "../../shared/store/table/reads.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { create, put, remove, update, type Write } from "../../shared/store/table/writes.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { lagReads } from "../support/table/lagging-table.ts";
import { leaveSeparateTables, useSeparateTable } from "../support/table/separate-table.ts";
import { forgetCaches } from "../support/test-process.ts";
import { isLocal } from "../support/world.ts";

type Row = { pk: string; sk: string; gsi1pk?: string; gsi1sk?: string; gsi3pk?: string; gsi3sk?: string; text: string };

const names = ["a", "b", "c", "d", "e", "f"];
const name = fc.constantFrom(...names);
const list = fc.constantFrom("X", "Y");
const order = fc.integer({ min: 0, max: 4 });
const text = fc.constantFrom("once", "twice", "thrice");

const step = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), name, list, order, text }),
  fc.record({ kind: fc.constant("edit" as const), name, text }),
  fc.record({ kind: fc.constant("move" as const), name, list, order }),
  fc.record({ kind: fc.constant("unlist" as const), name }),
  fc.record({ kind: fc.constant("remove" as const), name }),
  fc.record({ kind: fc.constant("forget" as const) }),
  fc.record({
    kind: fc.constant("query" as const),
    index: fc.constantFrom(undefined, "gsi1" as const, "gsi3" as const),
    list,
    from: fc.constantFrom(undefined, "1", "c"),
    to: fc.constantFrom(undefined, "3#c", "e"),
    descending: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("get" as const), name }),
  fc.record({ kind: fc.constant("all" as const) }),
);

/** An event that nobody receives: a change needs an event to be in the log. */
const silentEvent = { audience: { kind: "users" as const, userIds: [] }, event: { type: "silence" as const } };
const change = (writes: Write[]) => commit({ writes, events: [silentEvent] });

describe.skipIf(!isLocal())("reads are current (in separate tables, which a deployed fleet does not have)", () => {
  let stopLagging = () => {};
  beforeAll(async () => {
    useSeparateTable();
    // The lag of each read is random, so an item that a read has returned may be missing from the next action.
    const lag = () => Math.floor(Math.random() * 2000);
    stopLagging = lagReads({ indexMs: lag, baseMs: lag, longestMs: 2000 });
  });
  afterAll(() => {
    stopLagging();
    return leaveSeparateTables();
  });

  // The first test of the file, because the random writers of the next test may continue for a moment after its end.
  test("one extra read unit tells a request that nothing was written recently", async () => {
    await change([put({ pk: "COST", sk: "a", text: "written" })]);
    const read = () =>
      withTrace(() =>
        withRequestScope(() =>
          Promise.all([getItem({ pk: "OTHER", sk: "a" }, corrected), getItem({ pk: "OTHER", sk: "b" }, corrected)]),
        ),
      );
    await read();
    const { trace } = await read();
    expect(trace).toMatchObject({ readUnits: 2, tableCalls: 2 });
  });

  test("recent writes that indexes and eventually consistent reads lack are added, in any process", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 40 }),
        forAtMost(20_000, async (steps) => {
          const pk = `P${++run}`;
          const rows = new Map<string, Row>();
          const keyOf = (sk: string) => ({ pk, sk });
          const indexKeys = (sk: string, list: string, order: number) => ({
            gsi1pk: `${pk}${list}`,
            gsi1sk: `${order}#${sk}`,
            gsi3pk: `${pk}${list}`,
            gsi3sk: `${order}#${sk}`,
          });
          for (const action of steps) {
            const known = "name" in action ? rows.get(action.name) : undefined;
            switch (action.kind) {
              case "write": {
                const row = {
                  ...keyOf(action.name),
                  ...indexKeys(action.name, action.list, action.order),
                  text: action.text,
                };
                await change([known ? put(row) : create(row)]);
                rows.set(action.name, row);
                break;
              }
              case "edit":
                if (!known) break;
                await change([update(keyOf(action.name), { set: { text: action.text } })]);
                rows.set(action.name, { ...known, text: action.text });
                break;
              case "move": {
                if (!known) break;
                const place = indexKeys(action.name, action.list, action.order);
                await change([update(keyOf(action.name), { set: place })]);
                rows.set(action.name, { ...known, ...place });
                break;
              }
              case "unlist":
                if (!known) break;
                await change([update(keyOf(action.name), { remove: ["gsi1pk", "gsi1sk", "gsi3pk", "gsi3sk"] })]);
                rows.set(action.name, { ...keyOf(action.name), text: known.text });
                break;
              case "remove":
                await change([remove(keyOf(action.name))]);
                rows.delete(action.name);
                break;
              case "forget":
                forgetCaches();
                break;
              case "get":
                expect(await withRequestScope(() => getItem(keyOf(action.name), corrected))).toEqual(known);
                break;
              case "all":
                expect(await withRequestScope(() => getItems(names.map(keyOf), corrected))).toEqual(
                  names.map((sk) => rows.get(sk)),
                );
                break;
              case "query": {
                const { index, from, to, descending, limit } = action;
                const [partition, sortKey] = [`${index ?? ""}pk`, `${index ?? ""}sk`] as ["pk", "sk"];
                const spec = {
                  pk: index ? `${pk}${action.list}` : pk,
                  ...(index && { index }),
                  ...(from && { from }),
                  ...(to && { to }),
                  descending,
                  ...(limit && { limit }),
                };
                const found = await withRequestScope(() => queryItems<Row>({ ...spec, ...corrected }));
                const all = [...rows.values()]
                  .filter((row) => row[partition] === spec.pk)
                  .filter((row) => (!from || row[sortKey] >= from) && (!to || row[sortKey] <= to))
                  .sort((a, b) => (a[sortKey] < b[sortKey] ? -1 : 1) * (descending ? -1 : 1));
                const expected = all.slice(0, limit);
                expect(found.map(({ sk }) => sk)).toEqual(expected.map(({ sk }) => sk));
                // The third index has only keys.
                if (index !== "gsi3") expect(found).toEqual(expected);
                const any = await withRequestScope(() =>
                  queryItems<Row>({ ...spec, ...corrected, limit: 1, anyItem: true }),
                );
                expect(any).toHaveLength(all.length > 0 ? 1 : 0);
                for (const { sk } of any) expect(all.map((row) => row.sk)).toContain(sk);
              }
            }
          }
        }),
      ),
      { numRuns: 60, endOnFailure: true },
    );
  });

  test("reading the log's end finds all earlier writes, even if the process knows some of them", async () => {
    const { event: headBefore } = await readHead();
    for (let count = 0; count < 5; count++) await change([]);
    forgetCaches();
    cacheEntries(await readEntries(headBefore, headBefore + 2, { consistent: true }));

    const entries = await new LogReader(headBefore, { toEnd: true }).next(200);

    expect(entries.slice(0, 5).map(({ sequence }) => sequence - headBefore)).toEqual([1, 2, 3, 4, 5]);
  });
});
