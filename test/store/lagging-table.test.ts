import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PageStart } from "../../shared/base/table-port/port.ts";
import { batchGet, batchWrite, deleteOne, get, query, transactWrites } from "../../shared/store/table/client.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { lagOf, lagReads } from "../support/table/lagging-table.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/** The lags of indexes and of eventually consistent reads of the table. */
const indexMs = 500;
const baseMs = 100;

interface Row {
  pk: string;
  sk: string;
  gsi1pk?: string;
  gsi1sk?: string;
  gsi3pk?: string;
  gsi3sk?: string;
  version: number;
}

/** All states of the table so far, each with the time from which it was current. */
class Model {
  readonly states: { since: number; rows: Map<string, Row> }[] = [{ since: 0, rows: new Map() }];

  change(since: number, changes: readonly [key: string, row: Row | undefined][]) {
    const rows = new Map(this.states.at(-1)?.rows);
    for (const [key, row] of changes) {
      if (row) rows.set(key, row);
      else rows.delete(key);
    }
    this.states.push({ since, rows });
  }

  at = (time: number) => [...(this.states.findLast(({ since }) => since <= time)?.rows.values() ?? [])];
}

const keys = ["a", "b", "c", "d", "e"].map((sk) => ({ pk: "P", sk }));
const key = fc.constantFrom(...keys);
const place = fc.option(fc.constantFrom("X", "Y"), { nil: undefined });
const content = fc.record({ place, order: fc.integer({ min: 0, max: 9 }) });
type Content = { place: string | undefined; order: number };

const step = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), key, content }),
  fc.record({ kind: fc.constant("delete" as const), key }),
  fc.record({ kind: fc.constant("refused" as const), key, content }),
  fc.record({
    kind: fc.constant("transaction" as const),
    changes: fc.uniqueArray(fc.record({ key, content: fc.option(content, { nil: undefined }) }), {
      minLength: 1,
      maxLength: 4,
      selector: (change) => change.key.sk,
    }),
  }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 50, 99, 100, 250, 500, 700) }),
  fc.record({ kind: fc.constant("get" as const), key, consistent: fc.boolean() }),
  fc.record({ kind: fc.constant("batch" as const), consistent: fc.boolean() }),
  fc.record({
    kind: fc.constant("query" as const),
    index: fc.constantFrom(undefined, "gsi1" as const, "gsi3" as const),
    consistent: fc.boolean(),
    from: fc.constantFrom("", "b", "3"),
    descending: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    projected: fc.boolean(),
  }),
);

describe.skipIf(!isLocal())("the lagging table (in the table of the test's process)", () => {
  /** The simulated time in milliseconds, which the steps advance. */
  let now = 1_000_000;
  let stopLagging = () => {};
  beforeAll(() => {
    stopLagging = lagReads({ indexMs: () => indexMs, baseMs: () => baseMs, longestMs: indexMs, now: () => now });
  });
  afterAll(() => stopLagging());

  test("eventually consistent reads see a former state, and consistent reads the current one", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        forAtMost(20_000, async (steps) => {
          const pk = unique(`LAGGING ${++run}`);
          const model = new Model();
          let version = 0;
          now += 10_000;
          const keyOf = (sk: string) => ({ pk, sk });
          const rowOf = (sk: string, { place, order }: Content): Row => ({
            ...keyOf(sk),
            ...(place && {
              gsi1pk: `${pk}${place}`,
              gsi1sk: `${order}#${sk}`,
              gsi3pk: `${pk}${place}`,
              gsi3sk: `${order}#${sk}`,
            }),
            version: ++version,
          });
          for (const action of steps) {
            switch (action.kind) {
              case "put": {
                const item = rowOf(action.key.sk, action.content);
                await batchWrite({ puts: [{ ...item }], deletes: [] });
                model.change(now, [[action.key.sk, item]]);
                break;
              }
              case "delete":
                await deleteOne({ key: keyOf(action.key.sk) });
                model.change(now, [[action.key.sk, undefined]]);
                break;
              case "refused": {
                const item = { ...rowOf(action.key.sk, action.content) };
                const writes = [{ kind: "put" as const, item, when: { equals: { version: -1 } } }];
                await expect(transactWrites({ writes, token: randomUUID() })).rejects.toThrow();
                break;
              }
              case "transaction": {
                const rows = action.changes.map(
                  ({ key: { sk }, content }) => [sk, content && rowOf(sk, content)] as const,
                );
                const writes = rows.map(([sk, row]) =>
                  row ? { kind: "put" as const, item: { ...row } } : { kind: "delete" as const, key: keyOf(sk) },
                );
                await transactWrites({ writes, token: randomUUID() });
                model.change(
                  now,
                  rows.map(([sk, row]) => [sk, row]),
                );
                break;
              }
              case "wait":
                now += action.ms;
                break;
              case "get": {
                const { consistent } = action;
                const { item } = await get({ key: keyOf(action.key.sk), consistent });
                const seen = model.at(consistent ? now : now - baseMs);
                expect(item).toEqual(seen.find(({ sk }) => sk === action.key.sk));
                break;
              }
              case "batch": {
                const { consistent } = action;
                const { items } = await batchGet({ keys: keys.map(({ sk }) => keyOf(sk)), consistent });
                const bySk = (rows: any[]) => rows.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
                const seen = model.at(consistent ? now : now - baseMs);
                expect(bySk(items)).toEqual(bySk(seen));
                break;
              }
              case "query": {
                const { index, from, descending, limit, projected } = action;
                const consistent = action.consistent && !index;
                const found: unknown[] = [];
                let start: PageStart | undefined;
                do {
                  const page = await query({
                    pk: index ? `${pk}X` : pk,
                    ...(index && { index }),
                    ...(from && { from }),
                    ...(projected && { fields: ["version"] }),
                    ...{ descending, consistent, limit, start },
                  });
                  expect(page.items.length).toBeLessThanOrEqual(limit ?? 100);
                  found.push(...page.items);
                  start = page.next;
                } while (start);
                const sortKey = `${index ?? ""}sk` as "sk" | "gsi1sk" | "gsi3sk";
                const rows = model
                  .at(consistent ? now : now - (index ? indexMs : baseMs))
                  .filter(
                    (row) =>
                      (index === undefined || row[`${index}pk` as "gsi1pk"] === `${pk}X`) &&
                      (row[sortKey] ?? "") >= from,
                  )
                  .sort((a, b) => ((a[sortKey] ?? "") < (b[sortKey] ?? "") ? -1 : 1) * (descending ? -1 : 1));
                const names = [
                  ...["pk", "sk", ...(index ? [`${index}pk`, `${index}sk`] : [])],
                  ...(projected && index !== "gsi3" ? ["version"] : []),
                ];
                const picked = (row: Row) =>
                  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
                expect(found).toEqual(projected || index === "gsi3" ? rows.map(picked) : rows);
              }
            }
          }
        }),
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test("takes its lags from the environment, as fixed lags or as ranges", () => {
    const { indexMs, baseMs, longestMs } = lagOf({ LAG_INDEX_MS: "0-2000", LAG_BASE_MS: "100" }) ?? {};
    expect(indexMs?.()).toBeLessThanOrEqual(2000);
    expect([baseMs?.(), longestMs]).toEqual([100, 2000]);
    expect(lagOf({})).toBeUndefined();
    expect(() => lagOf({ LAG_BASE_MS: "soon" })).toThrow("soon");
  });
});
