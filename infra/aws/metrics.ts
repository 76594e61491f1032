import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { metricsNamespace } from "../../shared/observability/metrics.ts";

/** A metric that the functions write themselves, through their logs (shared/observability/metrics.ts), where the settings ask for metrics. */
export const fleetMetric = (
  fleet: string,
  kind: "request" | "job",
  metricName: "durationMs" | "readUnits" | "writeUnits" | "serverErrors",
  options: MetricOptions,
): Metric => new Metric({ namespace: metricsNamespace, metricName, dimensionsMap: { fleet, kind }, ...options });
