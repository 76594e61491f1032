import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { provisionTable } from "../../infra/local/provision.ts";
import { connect } from "../../shared/table/dynamodb/table.ts";
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
    index: fc.constantFrom(undefined, "gsi1", "gsi3"),
    consistent: fc.boolean(),
    from: fc.constantFrom("", "b", "3"),
    descending: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    projected: fc.boolean(),
  }),
);

describe.skipIf(!isLocal())("the lagging table (in a separate table, which a deployed fleet does not have)", () => {
  const { TABLE_NAME: originalTable } = process.env;
  /** The simulated time in milliseconds, which the steps advance. */
  let now = 1_000_000;
  let stopLagging = () => {};
  let TableName = "";
  beforeAll(async () => {
    TableName = await provisionTable(undefined, unique("lagging").replace(" ", "-"));
    stopLagging = lagReads({ indexMs: () => indexMs, baseMs: () => baseMs, longestMs: indexMs, now: () => now });
  });
  afterAll(() => {
    stopLagging();
    process.env.TABLE_NAME = originalTable ?? "";
  });

  test("eventually consistent reads see a former state, and consistent reads the current one", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        forAtMost(20_000, async (steps) => {
          const db = connect();
          const pk = `P${++run}`;
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
                const Item = rowOf(action.key.sk, action.content);
                await db.send(new PutCommand({ TableName, Item }));
                model.change(now, [[action.key.sk, Item]]);
                break;
              }
              case "delete":
                await db.send(new DeleteCommand({ TableName, Key: keyOf(action.key.sk) }));
                model.change(now, [[action.key.sk, undefined]]);
                break;
              case "refused": {
                const Item = rowOf(action.key.sk, action.content);
                const never = { ConditionExpression: "version = :no", ExpressionAttributeValues: { ":no": -1 } };
                await expect(db.send(new PutCommand({ TableName, Item, ...never }))).rejects.toThrow();
                break;
              }
              case "transaction": {
                const rows = action.changes.map(
                  ({ key: { sk }, content }) => [sk, content && rowOf(sk, content)] as const,
                );
                const TransactItems = rows.map(([sk, Item]) =>
                  Item ? { Put: { TableName, Item } } : { Delete: { TableName, Key: keyOf(sk) } },
                );
                await db.send(new TransactWriteCommand({ TransactItems }));
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
                const { Item } = await db.send(
                  new GetCommand({ TableName, Key: keyOf(action.key.sk), ConsistentRead: action.consistent }),
                );
                const seen = model.at(action.consistent ? now : now - baseMs);
                expect(Item).toEqual(seen.find(({ sk }) => sk === action.key.sk));
                break;
              }
              case "batch": {
                const Keys = keys.map(({ sk }) => keyOf(sk));
                const { Responses } = await db.send(
                  new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: action.consistent } } }),
                );
                const bySk = (rows: any[]) => rows.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
                const seen = model.at(action.consistent ? now : now - baseMs);
                expect(bySk(Responses?.[TableName] ?? [])).toEqual(bySk(seen));
                break;
              }
              case "query": {
                const { index = "", from, descending, limit, projected } = action;
                const consistent = action.consistent && !index;
                const found: unknown[] = [];
                let ExclusiveStartKey: Record<string, unknown> | undefined;
                do {
                  const reply = await db.send(
                    new QueryCommand({
                      TableName,
                      ...(index && { IndexName: index }),
                      KeyConditionExpression: from ? "#pk = :pk AND #sk >= :from" : "#pk = :pk",
                      ExpressionAttributeNames: {
                        "#pk": `${index}pk`,
                        ...(from && { "#sk": `${index}sk` }),
                        ...(projected && { "#f0": "pk", "#f1": "sk" }),
                      },
                      ExpressionAttributeValues: { ":pk": index ? `${pk}X` : pk, ...(from && { ":from": from }) },
                      ...(projected && { ProjectionExpression: "#f0, #f1" }),
                      ConsistentRead: consistent,
                      ScanIndexForward: !descending,
                      Limit: limit,
                      ExclusiveStartKey,
                    }),
                  );
                  expect(reply.Items?.length ?? 0).toBeLessThanOrEqual(limit ?? 100);
                  found.push(...(reply.Items ?? []));
                  ExclusiveStartKey = reply.LastEvaluatedKey;
                } while (ExclusiveStartKey);
                const sortKey = `${index}sk` as "sk" | "gsi1sk" | "gsi3sk";
                const rows = model
                  .at(consistent ? now : now - (index ? indexMs : baseMs))
                  .filter(
                    (row) =>
                      (index === "" || row[`${index}pk` as "gsi1pk"] === `${pk}X`) && (row[sortKey] ?? "") >= from,
                  )
                  .sort((a, b) => ((a[sortKey] ?? "") < (b[sortKey] ?? "") ? -1 : 1) * (descending ? -1 : 1));
                const picked = ({ pk, sk, gsi3pk, gsi3sk }: Row) =>
                  projected ? { pk, sk } : { pk, sk, gsi3pk, gsi3sk };
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
