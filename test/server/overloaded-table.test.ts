import { afterEach, describe, expect, test } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { getItem } from "../../shared/store/table/reads.ts";
import { isLocal } from "../support/world.ts";

/** What a client sees when a call to the table fails although the SDK has repeated it. */

let stopObserving = () => {};
afterEach(() => stopObserving());

const reading = endpoint(
  { method: "GET", path: "/test", summary: "", caller: "anyone", params: {}, returns: {}, uses: { table: "read" } },
  async () => void (await getItem({ pk: "TEST", sk: "a" })),
);
const event = { headers: {}, requestContext: { requestId: "1", http: { method: "GET", path: "/test" } } };

/** The reply to a request whose calls to the table fail with an error with these properties. */
async function replyFor(properties: object) {
  stopObserving = observeTableCalls(() => Promise.reject(Object.assign(new Error("secret"), properties)));
  const { statusCode, headers, body } = await reading(event as never, {} as never);
  return { status: statusCode, retryAfter: headers?.["retry-after"], body: JSON.parse(body ?? "") };
}

describe.skipIf(!isLocal())("a call to the table that fails (in this process)", () => {
  test.each([
    { name: "ThrottlingException" },
    { name: "ProvisionedThroughputExceededException" },
    { name: "RequestLimitExceeded" },
    { name: "TransactionInProgressException" },
    { name: "TransactionConflictException" },
    { name: "TransactionCanceledException", CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }] },
    { name: "InternalServerError", $metadata: { httpStatusCode: 500 } },
    { name: "TimeoutError" },
    { code: "ECONNRESET" },
  ])("for a moment ($name$code) makes the client come back in a few seconds", async (properties) => {
    expect(await replyFor(properties)).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^[123]$/),
      body: { result: "error", msg: "The server is too busy at the moment. Try again.", code: "SERVICE_UNAVAILABLE" },
    });
  });

  test.each([
    { name: "ValidationException", $metadata: { httpStatusCode: 400 } },
    { name: "TransactionCanceledException", CancellationReasons: [{ Code: "ValidationError" }] },
    { name: "TypeError" },
  ])("for good ($name) is an internal error", async (properties) => {
    const { status, retryAfter, body } = await replyFor(properties);

    expect([status, retryAfter, body.code]).toEqual([500, undefined, "INTERNAL_SERVER_ERROR"]);
  });
});
