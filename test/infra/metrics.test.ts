import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { isEndpoint, loadFleet } from "../../infra/fleet.ts";
import type { RequestRecord } from "../../shared/base/observability/metrics.ts";
import { logRequest, writeLine, writeRequestRecords } from "../../shared/base/observability/trace.ts";

/** The log line of each request, from which CloudWatch extracts metrics. */

const record: RequestRecord = {
  requestId: "r-1",
  endpoint: "POST /messages",
  status: 200,
  userId: 7,
  durationMs: 12,
  readUnits: 3,
  writeUnits: 10,
  tableCalls: 7,
  stages: 2,
  otherCalls: 0,
};

beforeAll(() => writeRequestRecords(writeLine));
afterAll(() => writeRequestRecords(() => {}));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function lineWrittenBy(work: () => unknown): Promise<any> {
  let line = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    line += text;
    return true;
  });
  await work();
  vi.restoreAllMocks();
  expect(line.endsWith("}\n")).toBe(true);
  return JSON.parse(line);
}

const lineOf = (requestRecord: RequestRecord) => lineWrittenBy(() => logRequest(requestRecord));

const metricsIn = ({ _aws }: any) => _aws.CloudWatchMetrics[0].Metrics.map(({ Name }: { Name: string }) => Name);

test("a deployed function's line is the record and, in the embedded metric format, its metrics", async () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  const line = await lineOf(record);

  expect(line).toMatchObject({ ...record, fleet: "Globe", kind: "request" });
  expect(line._aws.CloudWatchMetrics).toMatchObject([{ Namespace: "Skein", Dimensions: [["fleet", "kind"]] }]);
  expect(Math.abs(line._aws.Timestamp - Date.now())).toBeLessThan(60_000);
  for (const name of metricsIn(line)) expect(line[name]).toEqual(expect.any(Number));
  expect(metricsIn(line)).toEqual(["durationMs", "readUnits", "writeUnits"]);
});

test('a failed job counts as a server error of kind "job"', async () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  const line = await lineOf({ ...record, endpoint: "job outbox-sweeps", status: 500, waitedMs: 90 });

  expect(line).toMatchObject({ kind: "job", serverErrors: 1, waitedMs: 90 });
  expect(metricsIn(line)).toEqual(["durationMs", "waitedMs", "readUnits", "writeUnits", "serverErrors"]);
});

test("repeated calls to the table are a metric where there were any", async () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  expect(metricsIn(await lineOf({ ...record, tableRetries: 2 }))).toContain("tableRetries");
});

test("the duration of a long poll is logged but not in the metrics", async () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  const line = await lineWrittenBy(() => logRequest({ ...record, durationMs: 24_000 }, { longPoll: true }));

  expect(line.durationMs).toBe(24_000);
  expect(metricsIn(line)).toEqual(["readUnits", "writeUnits"]);
});

test("every endpoint that holds requests declares longPoll, and its duration is in no metric", async () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");
  const endpoints = (await loadFleet()).filter(isEndpoint);
  const holdingEndpoints = endpoints.filter(({ file }) => readFileSync(file, "utf8").includes("functionWaitMs"));

  expect(endpoints.filter(({ spec }) => spec.longPoll)).toEqual(holdingEndpoints);
  expect(holdingEndpoints.map(({ name }) => name)).toEqual(["get-events", "look-for-events"]);
  for (const name of ["get-events", "look-for-events", "send-message"]) {
    const { handler, spec } = endpoints.find((endpoint) => endpoint.name === name)!;
    const event = { headers: {}, requestContext: { http: { method: spec.method } }, rawPath: spec.path };

    const line = await lineWrittenBy(() => handler(event as never, {} as never));

    expect(line).toMatchObject({ endpoint: `${spec.method} ${spec.path}`, status: 401 });
    expect(metricsIn(line).includes("durationMs")).toBe(!spec.longPoll);
  }
});

test("without a fleet name the line is the record alone", async () => {
  expect(await lineOf(record)).toEqual(record);
});
