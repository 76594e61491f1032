import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { logRequest, writeLine, writeRequestRecords } from "../../shared/base/observability/trace.ts";
import { accessLineBytes, functionLineBytes, recordOf } from "./lines.ts";

/** Checks the counted size of log lines, which is part of the month's bill, against real lines. */

const usage = { readUnits: 2.5, writeUnits: 0, tableCalls: 3, stages: 2, otherCalls: 0 };
/** The bytes that CloudWatch adds to each line. */
const overheadBytes = 26;

beforeAll(() => writeRequestRecords(writeLine));
afterAll(() => writeRequestRecords(() => {}));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The bytes of a line that a function writes, without the line break. */
function writtenBytes(endpoint: string, fleet?: string): number {
  let text = "";
  vi.spyOn(process.stdout, "write").mockImplementation((line) => {
    text += line;
    return true;
  });
  if (fleet) vi.stubEnv("SKEIN_FLEET", fleet);
  logRequest(recordOf(endpoint, usage));
  vi.restoreAllMocks();
  return Buffer.byteLength(text.trimEnd());
}

test.each(["POST /messages", "GET /events/{queue_id}/{last_event_id}/look", "job reminder-sweeps"])(
  "%s: the counted size of a function's line equals the real one, with and without metrics",
  (endpoint) => {
    expect(functionLineBytes(endpoint, usage)).toBe(writtenBytes(endpoint) + overheadBytes);
    expect(functionLineBytes(endpoint, usage, { metrics: true })).toBe(writtenBytes(endpoint, "Skein") + overheadBytes);
  },
);

test("a function's line without metrics is less than half as long as one with metrics", () => {
  expect(functionLineBytes("POST /messages", usage)).toBeLessThan(
    functionLineBytes("POST /messages", usage, { metrics: true }) / 2,
  );
});

test("the counted size of the gateway's line includes the whole route and the fields of a browser's request", () => {
  const counted = accessLineBytes("GET /api/v1/messages");

  expect(counted - accessLineBytes("GET /")).toBe("api/v1/messages".length);
  // More than a third of the line is the browser's User-Agent.
  expect(counted).toBeGreaterThan(250);
  expect(counted).toBeLessThan(325);
});
