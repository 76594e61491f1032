/** The cost of a request or job so far. */
export interface Trace {
  /** DynamoDB read request units. */
  readUnits: number;
  /** DynamoDB write request units. */
  writeUnits: number;
  tableCalls: number;
  /**
   * The number of sequential round trips to the table: a call's stage is one more than the highest stage of the calls that
   * ended before it began. It determines most of a request's latency on AWS.
   */
  stages: number;
  otherCalls: number;
  /** How often calls to the table were repeated, because it throttled or failed; absent: never. */
  tableRetries?: number;
}

/** The line that a function logs for each request. It must not contain users' content or credentials. */
export interface RequestRecord extends Trace {
  requestId: string;
  /** The endpoint, or the kind of job after "job ". */
  endpoint: string;
  status: number;
  userId?: number | undefined;
  /** Of a job: how long ago it was sent. */
  waitedMs?: number | undefined;
  durationMs: number;
}

/** The CloudWatch namespace of the functions' own metrics. */
export const metricsNamespace = "Skein";

/**
 * A record in CloudWatch's embedded metric format: a log line from which CloudWatch extracts metrics, by fleet and by kind
 * (request or job). More dimensions, such as the endpoint, would cost a monthly fee for each combination; query the log for
 * those. The duration of a long poll is logged, but is not a metric.
 */
export function withMetrics(record: RequestRecord, fleet: string, longPoll: boolean): Record<string, unknown> {
  const kind = record.endpoint.startsWith("job ") ? "job" : "request";
  const metrics = [
    ...(longPoll ? [] : [{ Name: "durationMs", Unit: "Milliseconds" }]),
    ...(record.waitedMs === undefined ? [] : [{ Name: "waitedMs", Unit: "Milliseconds" }]),
    ...[
      ...["readUnits", "writeUnits"],
      ...(kind === "job" ? ["serverErrors"] : []),
      ...(record.tableRetries === undefined ? [] : ["tableRetries"]),
    ].map((Name) => ({ Name, Unit: "Count" })),
  ];
  return {
    ...record,
    fleet,
    kind,
    // API Gateway counts those of requests.
    ...(kind === "job" && { serverErrors: record.status >= 500 ? 1 : 0 }),
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [{ Namespace: metricsNamespace, Dimensions: [["fleet", "kind"]], Metrics: metrics }],
    },
  };
}
