import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { currentHost, provideHost } from "../../shared/base/host.ts";
import { connect, dynamoDbTable } from "../../shared/base/table-port/dynamodb/table.ts";
import { observeTableCalls, type TableCall } from "../../shared/base/table-port/observe.ts";
import { receiveEntries } from "../../shared/store/log/stream.ts";
import { batchWrite } from "../../shared/store/table/bulk.ts";
import { get, transactWrites } from "../../shared/store/table/client.ts";
import { compressIfLong } from "../../shared/store/table/packing.ts";
import { getItem, getItems, queryItems } from "../../shared/store/table/reads.ts";
import { updateItem } from "../../shared/store/table/single-writes.ts";
import { ConditionFailed, transact, tryTransact } from "../../shared/store/table/transactions.ts";
import { put, update } from "../../shared/store/table/writes.ts";
import { anyCharacter, fc } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/** The values that the store writes and reads, and the calls that observers see. */

const keyOf = (sk = "1") => ({ pk: unique("CLIENT"), sk });

describe.skipIf(!isLocal())("values (in the table of the test's process)", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("", '{"S":"x"}', "\\", "constructor", "…\u{1f389}"),
  );
  const plain = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((n) => Number(n.toFixed(3)) + 0),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
      fc.uniqueArray(text, { minLength: 1 }).map((texts) => new Set(texts)),
      fc.uniqueArray(fc.integer(), { minLength: 1 }).map((numbers) => new Set(numbers)),
      fc.array(tie("any")),
      fc.dictionary(fc.constantFrom("a", "b", "é", "a.b", "#c"), tie("any"), { noNullPrototype: true }),
    ),
  })).any;

  test("are read unchanged by every kind of read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 4 }), async (values) => {
        const { pk } = keyOf();
        const items = values.map((value, index) => ({ pk, sk: String(index), value }));
        const [first, ...rest] = items as [(typeof items)[0], ...typeof items];
        await transact([put(first)]);
        await batchWrite(rest);

        expect(await getItem(first)).toEqual(first);
        expect(await getItems(items)).toEqual(items);
        expect(await queryItems({ pk })).toEqual(items);
        expect(await updateItem(first, { set: { added: values } })).toEqual({ ...first, added: values });
      }),
      { numRuns: 30 },
    );
  });

  test("undefined values are omitted at any depth", async () => {
    const key = keyOf();
    await transact([put({ ...key, absent: undefined, list: [1, undefined], map: { absent: undefined, kept: 1 } })]);

    expect(await getItem(key)).toEqual({ ...key, list: [1], map: { kept: 1 } });
  });

  test.each([Number.NaN, 2 ** 60, new Set(), new Set([{}]), new Date(), Symbol("no")])(
    "%s is refused before anything is written",
    async (value) => {
      const key = keyOf();

      await expect(transact([put({ ...key, value })])).rejects.toThrow();

      expect(await getItem(key)).toBeUndefined();
    },
  );

  test("a failed condition's refusal receives the item as plain values", async () => {
    const item = { ...keyOf(), texts: new Set(["a"]), bytes: new Uint8Array([1, 2]), map: { n: 1 } };
    await transact([put(item)]);

    const writes = [put({ ...keyOf() }), update(item, { set: { n: 2 } }, { equals: { n: 1 } })];

    expect(await tryTransact(writes)).toMatchObject({ existing: item, error: expect.any(ConditionFailed) });
    await expect(transact(writes, { refusal: (existing) => new Error(JSON.stringify(existing?.map)) })).rejects.toThrow(
      '{"n":1}',
    );
  });
});

test("a long log entry is decoded from the stream record that Lambda passes", () => {
  const event = { type: "message", content: "à".repeat(9000) };
  const audience = { kind: "everyone" };
  const bytes = compressIfLong(JSON.stringify(event)) as Uint8Array;
  const item = { pk: "LOG#0", sk: "0000000000000007", audience, at: 1, packedEvent: bytes };
  const image = marshall(item, { removeUndefinedValues: true });
  const NewImage = { ...image, packedEvent: { B: Buffer.from(bytes).toString("base64") } };

  const entries = receiveEntries([{ dynamodb: { NewImage: NewImage as never } }]);

  expect(entries).toMatchObject([{ sequence: 7, audience, event }]);
});

describe("an observer of the table", () => {
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>();
  const bodies: any[] = [];
  /** A fake table's responses to successive calls. */
  const replies: { status: number; body: object }[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(String(await buffer(request))));
    const { status, body } = replies.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
  });
  server.unref().listen(0, "127.0.0.1", setReady);
  const { table: tableBefore } = currentHost();
  beforeAll(async () => {
    await ready;
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
    const table = dynamoDbTable({
      client: connect({ endpoint, region: "eu-north-1", credentials }),
      nameOf: () => "t",
    });
    provideHost({ table: () => table });
  });
  afterAll(() => provideHost({ table: tableBefore }));
  const removals: (() => void)[] = [];
  const observe = (...[observer]: Parameters<typeof observeTableCalls>) => removals.push(observeTableCalls(observer));
  afterEach(() => {
    for (const remove of removals.splice(0)) remove();
    bodies.length = 0;
  });
  const key = { pk: "a", sk: "b" };

  test("sees a call once despite retries, with plain values", async () => {
    replies.push(
      { status: 500, body: { __type: "InternalServerError" } },
      { status: 200, body: { Item: { n: { N: "1" } } } },
    );
    const observed: { call: TableCall; result: unknown }[] = [];
    observe(async (call, proceed) => {
      const result = await proceed();
      observed.push({ call, result });
      return result;
    });

    const { item } = await get({ key, consistent: false });

    expect(item).toEqual({ n: 1 });
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toMatchObject({ TableName: "t", Key: { pk: { S: "a" }, sk: { S: "b" } } });
    expect(observed).toEqual([
      { call: { name: "get", request: { key, consistent: false } }, result: { item: { n: 1 }, units: 0, retries: 1 } },
    ]);
  });

  test("can answer or reject a call instead of sending it, and the newest observer is called first", async () => {
    const order: string[] = [];
    observe(async (_, proceed) => {
      order.push("older");
      return proceed();
    });
    observe(async (call, proceed) => {
      order.push("newer");
      if (call.name === "transact") throw new Error("refused");
      return call.name === "get" && call.request.key.sk === "mine" ? { item: { n: 2 }, units: 0 } : proceed();
    });

    const { item } = await get({ key: { ...key, sk: "mine" }, consistent: false });
    await expect(transactWrites({ writes: [], token: "" })).rejects.toThrow("refused");
    await get({ key, consistent: false });

    expect(item).toEqual({ n: 2 });
    expect(bodies).toHaveLength(1);
    expect(order).toEqual(["newer", "newer", "newer", "older"]);
  });

  test("leaves the other observers when it is removed twice", async () => {
    const calls: string[] = [];
    const observeAs = (name: string) =>
      observeTableCalls((_, proceed) => {
        calls.push(name);
        return proceed();
      });
    const removeFirst = observeAs("first");
    const removeSecond = observeAs("second");

    removeFirst();
    removeFirst();
    await get({ key, consistent: false });
    removeSecond();

    expect(calls).toEqual(["second"]);
  });

  test("sees a different token in each transaction, by which DynamoDB recognizes a retry", async () => {
    const tokens: unknown[] = [];
    observe(({ request }, proceed) => {
      tokens.push("token" in request && request.token);
      return proceed();
    });

    for (const sk of ["1", "2"]) await transact([put(keyOf(sk))]);

    expect(tokens).toHaveLength(2);
    expect(new Set(tokens).size).toBe(2);
    expect(tokens.every((token) => /^[0-9a-f-]{36}$/.test(String(token)))).toBe(true);
  });
});
