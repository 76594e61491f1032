import { accessLogLine } from "../../infra/aws/access-log.ts";
import { type RequestRecord, withMetrics } from "../../shared/base/observability/metrics.ts";

/** Bytes that CloudWatch adds to each line. */
const perLineOverheadBytes = 26;
const bytesOf = (line: string) => Buffer.byteLength(line) + perLineOverheadBytes;

/** Example request IDs of API Gateway and of Lambda. */
const requestIds = { request: "JKJaXmPLvHcESHA=", job: "0c6f3b0e-4f8e-4c39-9a53-1f2b6f0a7d11" };

/** What a request or job used, as in its log line. */
type Usage = Pick<RequestRecord, "readUnits" | "writeUnits" | "tableCalls" | "otherCalls"> & {
  /** Absent if it was not counted. */
  stages?: number;
};

/** A typical record of a request or job. */
export const recordOf = (
  endpoint: string,
  { readUnits, writeUnits, tableCalls, stages = tableCalls, otherCalls }: Usage,
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

/** Bytes of a function's log line, as CloudWatch counts them. */
export function functionLineBytes(endpoint: string, usage: Usage, { metrics = false } = {}): number {
  const record = recordOf(endpoint, usage);
  return bytesOf(JSON.stringify(metrics ? withMetrics(record, "Skein", false) : record));
}

/** A typical request from a browser, keyed by API Gateway's context variables. */
const browserRequest: Record<string, string> = {
  requestId: requestIds.request,
  status: "200",
  "identity.sourceIp": "203.0.113.117",
  "identity.userAgent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  responseLatency: "20000",
  "error.responseType": "-",
};

/** Bytes of API Gateway's access log line for a route, as CloudWatch counts them. */
export function accessLineBytes(routeKey: string): number {
  const variables: Record<string, string> = { ...browserRequest, routeKey };
  return bytesOf(
    accessLogLine.replaceAll(/\$context\.([A-Za-z.]+)/g, (_, part: string) => {
      const value = variables[part];
      if (value === undefined) throw new Error(`browserRequest has no value for ${part}`);
      return value;
    }),
  );
}
