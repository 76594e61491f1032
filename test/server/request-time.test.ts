import { afterEach, expect, test, vi } from "vitest";
import { observeAwsCalls } from "../../shared/aws/observe.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { getItem } from "../../shared/store/table/table.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { put } from "../../shared/store/table/writes.ts";
import { isLocal } from "../support/world.ts";

/** Requests with slow calls to the table, on a clock that the calls advance. */

const callMs = 5_000;
const timeLimitMs = 28_000;
const key = { pk: "TIME", sk: "a" };
let end = () => {};
afterEach(() => {
  end();
  vi.useRealTimers();
});

/** Delays each call to the table by `callMs` on that clock, and returns the commands that were sent. */
function aSlowTable(): string[] {
  const commands: string[] = [];
  vi.useFakeTimers({ toFake: ["Date"] });
  end = observeAwsCalls(async ({ command }) => {
    commands.push(command);
    vi.setSystemTime(Date.now() + callMs);
    return { output: {} };
  });
  return commands;
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
const ask = async (run: () => Promise<void>) => {
  const reply = await anEndpoint(run)(event as never, {} as never);
  return { status: reply.statusCode, body: JSON.parse(reply.body ?? "") };
};
const timedOut = { status: 503, body: { result: "error", code: "REQUEST_TIMED_OUT" } };

test.skipIf(!isLocal())(
  "a request that never stops reading makes no calls after its time limit, and gets an error",
  async () => {
    const commands = aSlowTable();

    const reply = await ask(async () => {
      for (;;) await getItem(key, { consistent: true });
    });

    expect(reply).toMatchObject(timedOut);
    expect(commands).toHaveLength(Math.ceil(timeLimitMs / callMs));
  },
);

test.skipIf(!isLocal())("nothing is written after the time limit", async () => {
  const commands = aSlowTable();

  const reply = await ask(async () => {
    while (commands.length * callMs < timeLimitMs) await getItem(key, { consistent: true });
    await transact([put(key)]);
  });

  expect(reply).toMatchObject(timedOut);
  expect(commands).not.toContain("TransactWriteItemsCommand");
});

test.skipIf(!isLocal())("a request that waits for something else gets an error at its time limit", async () => {
  const neverDone = anEndpoint(() => new Promise(() => {}));
  const reply = await neverDone(event as never, { getRemainingTimeInMillis: () => 1050 } as never);

  expect(reply.statusCode).toBe(503);
  expect(JSON.parse(reply.body ?? "")).toMatchObject({ code: "REQUEST_TIMED_OUT" });
});

test.skipIf(!isLocal())("a request within its time limit is not affected", async () => {
  aSlowTable();

  const reply = await ask(async () => {
    await getItem(key, { consistent: true });
    await transact([put(key)]);
  });

  expect(reply).toMatchObject({ status: 200, body: { result: "success" } });
});
