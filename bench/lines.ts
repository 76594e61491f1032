import { accessLogLine } from "../infra/aws/access-log.ts";
import { type RequestRecord, withMetrics } from "../shared/observability/metrics.ts";

/** Bytes that CloudWatch counts for each line beside its text. */
const besideText = 26;
const bytesOf = (line: string) => Buffer.byteLength(line) + besideText;

/** As API Gateway numbers requests, and a function that runs by a schedule or a queue its runs. */
const requestIds = { request: "JKJaXmPLvHcESHA=", job: "0c6f3b0e-4f8e-4c39-9a53-1f2b6f0a7d11" };

/** What a request or job used, as its line says it. */
type Used = Pick<RequestRecord, "readUnits" | "writeUnits" | "tableCalls" | "otherCalls"> & {
  /** Absent where it was not counted. */
  stages?: number;
};

/** The record of a request to an endpoint by somebody, or of a job. */
export const recordOf = (
  endpoint: string,
  { readUnits, writeUnits, tableCalls, stages = tableCalls, otherCalls }: Used,
): RequestRecord => {
  const isJob = endpoint.startsWith("job ");
  return {
    requestId: isJob ? requestIds.job : requestIds.request,
    endpoint,
    status: 200,
    ...(!isJob && { userId: 1234 }),
    durationMs: 25,
    ...{ readUnits, writeUnits, tableCalls, stages, otherCalls },
  };
};

/** Bytes of a function's line about it, as CloudWatch counts them. */
export function functionLine(endpoint: string, used: Used, { metrics = false } = {}): number {
  const record = recordOf(endpoint, used);
  return bytesOf(JSON.stringify(metrics ? withMetrics(record, "Skein", false) : record));
}

/** An ordinary request from a browser, by what API Gateway calls its parts. */
const ordinary: Record<string, string> = {
  requestId: requestIds.request,
  status: "200",
  "identity.sourceIp": "203.0.113.117",
  "identity.userAgent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  responseLatency: "20000",
  "error.responseType": "-",
};

/** Bytes of API Gateway's line about a request to the route, as CloudWatch counts them; an error names what it does not know of one. */
export function accessLine(routeKey: string): number {
  const known: Record<string, string> = { ...ordinary, routeKey };
  return bytesOf(
    accessLogLine.replaceAll(/\$context\.([A-Za-z.]+)/g, (_, part: string) => {
      const value = known[part];
      if (value === undefined) throw new Error(`An ordinary request has no ${part}`);
      return value;
    }),
  );
}
