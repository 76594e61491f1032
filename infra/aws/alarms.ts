import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { fleetMetric } from "./metrics.ts";

export interface AlarmRule {
  metric: IMetric;
  /** The alarm goes off above this value. */
  threshold: number;
  /** How many periods of the metric in a row. Default 1. */
  periods?: number;
  /** What the alarm means, for the e-mail that it sends. */
  description: string;
}

/**
 * CloudWatch alarms that send e-mail. Without an address none is created: each costs money every month, and nobody would
 * see it.
 */
export class Alarms extends Construct {
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, alarmsTo: string) {
    super(scope, "Alarms");
    if (!alarmsTo) return;
    const topic = new Topic(this, "Topic", { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(alarmsTo));
    this.#action = new SnsAction(topic);
  }

  /** Adds an alarm under `scope`, unless alarms are off. */
  add(scope: Construct, id: string, { metric, threshold, periods = 1, description }: AlarmRule): void {
    if (!this.#action) return;
    const alarm = new Alarm(scope, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${description} See docs/operating.md, "When an alarm goes off".`,
    });
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
  }
}

const period = Duration.minutes(5);

/** The alarms of the fleet as a whole; `DeadLetterQueue` and `JobQueue` add those of queues. */
export function fleetAlarms(
  alarms: Alarms,
  { fleet, apiId, table, scheduleGroup }: { fleet: string; apiId: string; table: ITableV2; scheduleGroup: string },
): void {
  const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}) =>
    new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period });
  alarms.add(alarms, "Server-errors", {
    metric: sum("AWS/ApiGateway", "5xx", { ApiId: apiId }),
    threshold: 5,
    description: "More than 5 requests in 5 minutes failed with a server error.",
  });
  alarms.add(alarms, "Slow", {
    metric: fleetMetric(fleet, "request", "durationMs", { statistic: Stats.p(99), period }),
    // Milliseconds.
    threshold: 3000,
    periods: 3,
    description: "For 15 minutes one request in a hundred took more than 3 seconds.",
  });
  alarms.add(alarms, "Throttled-functions", {
    // Without dimensions the metric covers all functions in the account and region, which share one limit.
    metric: sum("AWS/Lambda", "Throttles"),
    threshold: 0,
    periods: 2,
    description: "Lambda throttled functions: the account's concurrency is used up.",
  });
  for (const metric of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
    alarms.add(alarms, metric, {
      metric: sum("AWS/DynamoDB", metric, { TableName: table.tableName }),
      threshold: 10,
      description: "The table throttled reads or writes.",
    });
  }
  alarms.add(alarms, "Dropped-schedules", {
    metric: sum("AWS/Scheduler", "InvocationDroppedCount", { ScheduleGroup: scheduleGroup }),
    threshold: 0,
    description: "EventBridge Scheduler dropped an invocation.",
  });
}

/** A function that keeps failing on log entries delays everything derived from them; the stream drops entries after a day. */
export const followerLagAlarm = (fn: IFunction): AlarmRule => ({
  metric: fn.metric("IteratorAge", { statistic: Stats.MAXIMUM, period }),
  // IteratorAge is in milliseconds.
  threshold: 15 * 60_000,
  description: "Processing of the log (notifications, mail, the search index) is 15 minutes behind.",
});
