/** What one request or job has cost so far. */
export interface Trace {
  /** DynamoDB read request units. */
  readUnits: number;
  /** DynamoDB write request units. */
  writeUnits: number;
  /** Calls to the table. */
  tableCalls: number;
  /**
   * The longest chain of calls to the table that waited for each other: a call's stage is one more than the highest of
   * those that had ended before it began. On AWS a request takes about as long as its stages.
   */
  stages: number;
  /** Calls to other services. */
  otherCalls: number;
}

/** The line that a function logs for each request; never contains contents or credentials. */
export interface RequestRecord extends Trace {
  requestId: string;
  endpoint: string;
  status: number;
  userId?: number | undefined;
  durationMs: number;
}

/** Where CloudWatch keeps what functions measure of themselves. */
export const metricsNamespace = "Skein";

/**
 * A record as CloudWatch's embedded metric format: the same line is the log's and the source of four metrics, by fleet and
 * by kind (a request or a job). More dimensions, such as the endpoint, would be paid for as metrics of their own each
 * month; the log's lines can be asked for those. How long a request took that `holds` is in its line alone.
 */
export function withMetrics(record: RequestRecord, fleet: string, holds: boolean): Record<string, unknown> {
  const kind = record.endpoint.startsWith("job ") ? "job" : "request";
  const metrics = [
    ...(holds ? [] : [{ Name: "durationMs", Unit: "Milliseconds" }]),
    ...["readUnits", "writeUnits", "serverErrors"].map((Name) => ({ Name, Unit: "Count" })),
  ];
  return {
    ...record,
    fleet,
    kind,
    serverErrors: record.status >= 500 ? 1 : 0,
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [{ Namespace: metricsNamespace, Dimensions: [["fleet", "kind"]], Metrics: metrics }],
    },
  };
}
