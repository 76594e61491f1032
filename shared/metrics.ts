import type { RequestRecord } from "./trace.ts";

/** Where CloudWatch keeps what functions measure of themselves. */
export const metricsNamespace = "Skein";

/** Requests that wait on purpose: how long they take says nothing about how fast the fleet is. */
const waiting = new Set(["GET /events", "GET /events/{queue_id}/{last_event_id}/{round}/look"]);

/**
 * A record as CloudWatch's embedded metric format: the same line is the log's and the source of four metrics, by fleet and
 * by kind (a request or a job). More dimensions, such as the endpoint, would be paid for as metrics of their own each
 * month; the log's lines can be asked for those.
 */
export function withMetrics(record: RequestRecord, fleet: string, now = Date.now()): Record<string, unknown> {
  const kind = record.endpoint.startsWith("job ") ? "job" : "request";
  const metrics = [
    ...(waiting.has(record.endpoint) ? [] : [{ Name: "durationMs", Unit: "Milliseconds" }]),
    ...["readUnits", "writeUnits", "serverErrors"].map((Name) => ({ Name, Unit: "Count" })),
  ];
  return {
    ...record,
    fleet,
    kind,
    serverErrors: record.status >= 500 ? 1 : 0,
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [{ Namespace: metricsNamespace, Dimensions: [["fleet", "kind"]], Metrics: metrics }],
    },
  };
}
