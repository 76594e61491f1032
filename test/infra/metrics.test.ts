import { afterEach, expect, test, vi } from "vitest";
import { logRequest, type RequestRecord } from "../../shared/trace.ts";

/** What a function writes for each request: one line, which CloudWatch's logs keep and its metrics are made of. */

const record: RequestRecord = {
  requestId: "r-1",
  endpoint: "POST /messages",
  status: 200,
  userId: 7,
  durationMs: 12,
  readUnits: 3,
  writeUnits: 10,
  tableCalls: 7,
  otherCalls: 0,
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function written(logged: RequestRecord): any {
  let line = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    line += text;
    return true;
  });
  logRequest(logged);
  vi.restoreAllMocks();
  expect(line.endsWith("}\n")).toBe(true);
  return JSON.parse(line);
}

const metricsIn = ({ _aws }: any) => _aws.CloudWatchMetrics[0].Metrics.map(({ Name }: { Name: string }) => Name);

test("a deployed function's line is the record and, in the embedded metric format, its metrics", () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  const line = written(record);

  expect(line).toMatchObject({ ...record, fleet: "Globe", kind: "request", serverErrors: 0 });
  expect(line._aws.CloudWatchMetrics).toMatchObject([{ Namespace: "Skein", Dimensions: [["fleet", "kind"]] }]);
  expect(Math.abs(line._aws.Timestamp - Date.now())).toBeLessThan(10_000);
  for (const name of metricsIn(line)) expect(line[name]).toEqual(expect.any(Number));
  expect(metricsIn(line)).toEqual(["durationMs", "readUnits", "writeUnits", "serverErrors"]);
});

test("a job that failed counts as one of ours, by its own kind", () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  expect(written({ ...record, endpoint: "job outbox-sweeps", status: 500 })).toMatchObject({
    kind: "job",
    serverErrors: 1,
  });
});

test("how long a long poll waited is in its line and in no metric", () => {
  vi.stubEnv("SKEIN_FLEET", "Globe");

  const line = written({ ...record, endpoint: "GET /events", durationMs: 24_000 });

  expect(line.durationMs).toBe(24_000);
  expect(metricsIn(line)).toEqual(["readUnits", "writeUnits", "serverErrors"]);
});

test("where no fleet has a name, the line is the record alone", () => {
  expect(written(record)).toEqual(record);
});
