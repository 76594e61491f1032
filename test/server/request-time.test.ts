import { afterEach, expect, test, vi } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { getItem } from "../../shared/store/table/reads.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { put } from "../../shared/store/table/writes.ts";
import { isLocal } from "../support/world.ts";

/** Requests with slow calls to the table. The clock is fake: each call advances it by `callMs`. */

const callMs = 5_000;
/** A request's time limit without a Lambda context. */
const timeLimitMs = 28_000;
const key = { pk: "TIME", sk: "a" };
let stopObserving = () => {};
afterEach(() => {
  stopObserving();
  vi.useRealTimers();
});

/** Answers each call to the table with an empty result after `callMs` of the fake clock; returns the names of the calls so far. */
function aSlowTable(): string[] {
  const calls: string[] = [];
  vi.useFakeTimers({ toFake: ["Date"] });
  stopObserving = observeTableCalls(async ({ name }) => {
    calls.push(name);
    vi.setSystemTime(Date.now() + callMs);
    return { units: 0 };
  });
  return calls;
}

const anEndpoint = (run: () => Promise<void>) =>
  endpoint(
    {
      method: "GET",
      path: "/test",
      summary: "",
      caller: "anyone",
      params: {},
      returns: {},
      uses: { table: "readWrite" },
    },
    run,
  );
const event = { headers: {}, requestContext: { requestId: "1", http: { method: "GET", path: "/test" } } };
const callEndpoint = async (run: () => Promise<void>) => {
  const reply = await anEndpoint(run)(event as never, {} as never);
  return { status: reply.statusCode, body: JSON.parse(reply.body ?? "") };
};
const timedOut = { status: 503, body: { result: "error", code: "REQUEST_TIMED_OUT" } };

test.skipIf(!isLocal())(
  "a request that never stops reading makes no calls after its time limit, and gets an error",
  async () => {
    const calls = aSlowTable();

    const reply = await callEndpoint(async () => {
      for (;;) await getItem(key);
    });

    expect(reply).toMatchObject(timedOut);
    expect(calls).toHaveLength(Math.ceil(timeLimitMs / callMs));
  },
);

test.skipIf(!isLocal())("a request writes nothing after its time limit, and gets an error", async () => {
  const calls = aSlowTable();

  const reply = await callEndpoint(async () => {
    while (calls.length * callMs < timeLimitMs) await getItem(key);
    await transact([put(key)]);
  });

  expect(reply).toMatchObject(timedOut);
  expect(calls).not.toContain("transact");
});

test.skipIf(!isLocal())(
  "a request that waits for something other than the table gets an error at its time limit",
  async () => {
    const neverDone = anEndpoint(() => new Promise(() => {}));
    // The time limit is a second before Lambda ends the function, which leaves 50 ms here.
    const reply = await neverDone(event as never, { getRemainingTimeInMillis: () => 1050 } as never);

    expect(reply.statusCode).toBe(503);
    expect(JSON.parse(reply.body ?? "")).toMatchObject({ code: "REQUEST_TIMED_OUT" });
  },
);

test.skipIf(!isLocal())("a request within its time limit is not affected", async () => {
  aSlowTable();

  const reply = await callEndpoint(async () => {
    await getItem(key);
    await transact([put(key)]);
  });

  expect(reply).toMatchObject({ status: 200, body: { result: "success" } });
});
