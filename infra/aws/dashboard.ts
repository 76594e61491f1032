import { Duration, type Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric, Metric, Stats, TextWidget } from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { JobQueue } from "./job-queues.ts";
import { fleetMetric } from "./metrics.ts";

interface DashboardSources {
  fleet: string;
  apiId: string;
  table: ITableV2;
  scheduleGroup: string;
  queues: ReadonlyMap<string, JobQueue>;
  deadLetters: { jobs: Queue; schedules: Queue };
}

const period = Duration.minutes(5);

/** One dashboard for the fleet: requests, latency, consumed capacity, queue backlogs and dead letters. */
export function fleetDashboard(scope: Stack, sources: DashboardSources): Dashboard {
  const { fleet, apiId, table, scheduleGroup, queues, deadLetters } = sources;
  const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string>, label: string) =>
    new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period, label });
  const gatewayMetric = (name: string, label: string) => sum("AWS/ApiGateway", name, { ApiId: apiId }, label);
  const lambdaMetric = (name: string, label: string) => sum("AWS/Lambda", name, {}, label);
  const tableMetric = (name: string, label: string) => sum("AWS/DynamoDB", name, { TableName: table.tableName }, label);
  const schedulesMetric = (name: string, label: string) =>
    sum("AWS/Scheduler", name, { ScheduleGroup: scheduleGroup }, label);
  const duration = (kind: "request" | "job", percentile: number) =>
    fleetMetric(fleet, kind, "durationMs", { statistic: Stats.p(percentile), period, label: `${kind} p${percentile}` });
  const units = (kind: "request" | "job", name: "readUnits" | "writeUnits") =>
    fleetMetric(fleet, kind, name, { statistic: Stats.SUM, period, label: `${name} of ${kind}s` });
  const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
    new GraphWidget({ title, left, right, width: 8, height: 6 });
  const jobs = [...queues].map(([name, { queue }]) => ({ name, queue }));

  const dashboard = new Dashboard(scope, "Dashboard", { dashboardName: fleet });
  dashboard.addWidgets(
    new TextWidget({
      markdown: `# ${fleet}\nFor troubleshooting, see docs/operating.md.`,
      width: 24,
    }),
  );
  dashboard.addWidgets(
    graph(
      "Requests",
      [gatewayMetric("Count", "requests")],
      [gatewayMetric("4xx", "refused"), gatewayMetric("5xx", "failed")],
    ),
    graph("Duration in milliseconds, without long polls", [
      duration("request", 50),
      duration("request", 99),
      duration("job", 99),
    ]),
    graph("Functions (whole account)", [
      lambdaMetric("Errors", "errors"),
      lambdaMetric("Throttles", "throttled"),
      new Metric({ namespace: "AWS/Lambda", metricName: "ConcurrentExecutions", statistic: Stats.MAXIMUM, period }),
    ]),
  );
  dashboard.addWidgets(
    graph("Units consumed by requests and jobs", [
      units("request", "readUnits"),
      units("request", "writeUnits"),
      units("job", "readUnits"),
      units("job", "writeUnits"),
    ]),
    graph(
      "Table",
      [
        tableMetric("ConsumedReadCapacityUnits", "read units"),
        tableMetric("ConsumedWriteCapacityUnits", "write units"),
      ],
      [tableMetric("ReadThrottleEvents", "throttled reads"), tableMetric("WriteThrottleEvents", "throttled writes")],
    ),
    graph(
      "Schedules",
      [schedulesMetric("InvocationAttemptCount", "fired")],
      [
        schedulesMetric("InvocationDroppedCount", "dropped"),
        deadLetters.schedules.metricApproximateNumberOfMessagesVisible({
          statistic: Stats.MAXIMUM,
          period,
          label: "dead letters",
        }),
      ],
    ),
  );
  dashboard.addWidgets(
    graph(
      "Age of the oldest job, in seconds",
      jobs.map(({ name, queue }) =>
        queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period, label: name }),
      ),
    ),
    graph(
      "Jobs done",
      jobs.map(({ name, queue }) => queue.metricNumberOfMessagesDeleted({ statistic: Stats.SUM, period, label: name })),
    ),
    graph("Jobs that were given up", [
      deadLetters.jobs.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period, label: "jobs" }),
    ]),
  );
  return dashboard;
}
