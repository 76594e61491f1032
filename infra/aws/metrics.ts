import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { metricsNamespace } from "../../shared/base/observability/metrics.ts";

/** A metric that the functions write through their logs (shared/base/observability/metrics.ts) if the settings turn metrics on. */
export const fleetMetric = (
  fleet: string,
  kind: "request" | "job",
  metricName: "durationMs" | "waitedMs" | "readUnits" | "writeUnits" | "serverErrors" | "tableRetries",
  options: MetricOptions,
): Metric => new Metric({ namespace: metricsNamespace, metricName, dimensionsMap: { fleet, kind }, ...options });
