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
}

/** The line that a function logs for each request. It must not contain users' content or credentials. */
export interface RequestRecord extends Trace {
  requestId: string;
  /** The endpoint, or the kind of job after "job ". */
  endpoint: string;
  status: number;
  userId?: number | undefined;
  durationMs: number;
}

/** The CloudWatch namespace of the functions' own metrics. */
export const metricsNamespace = "Skein";

/**
 * A record in CloudWatch's embedded metric format: a log line from which CloudWatch extracts four metrics, by fleet and by kind
 * (request or job). More dimensions, such as the endpoint, would cost a monthly fee for each combination; query the log for
 * those. The duration of a long poll is logged, but is not a metric.
 */
export function withMetrics(record: RequestRecord, fleet: string, longPoll: boolean): Record<string, unknown> {
  const kind = record.endpoint.startsWith("job ") ? "job" : "request";
  const metrics = [
    ...(longPoll ? [] : [{ Name: "durationMs", Unit: "Milliseconds" }]),
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
