import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { logRequest, writeLine, writeRequestRecords } from "../../shared/observability/trace.ts";
import { accessLine, functionLine, recordOf } from "./lines.ts";

/** Checks the counted size of log lines, which is part of the month's bill, against real lines. */

const used = { readUnits: 2.5, writeUnits: 0, tableCalls: 3, stages: 2, otherCalls: 0 };
/** The bytes that CloudWatch adds to each line. */
const besideText = 26;

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
  logRequest(recordOf(endpoint, used));
  vi.restoreAllMocks();
  return Buffer.byteLength(text.trimEnd());
}

test.each(["POST /messages", "GET /events/{queue_id}/{last_event_id}/look", "job reminder-sweeps"])(
  "%s: the counted size of a function's line equals the real one, with and without metrics",
  (endpoint) => {
    expect(functionLine(endpoint, used)).toBe(writtenBytes(endpoint) + besideText);
    expect(functionLine(endpoint, used, { metrics: true })).toBe(writtenBytes(endpoint, "Skein") + besideText);
  },
);

test("a line without metrics is less than half as long", () => {
  expect(functionLine("POST /messages", used)).toBeLessThan(
    functionLine("POST /messages", used, { metrics: true }) / 2,
  );
});

test("the counted size of the gateway's line includes all of its fields", () => {
  const counted = accessLine("GET /api/v1/messages");

  expect(counted - accessLine("GET /")).toBe("api/v1/messages".length);
  // More than a third of the line is the browser's User-Agent.
  expect(counted).toBeGreaterThan(250);
  expect(counted).toBeLessThan(325);
});
