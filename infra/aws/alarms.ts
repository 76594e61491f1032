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
  /** It rings above this. */
  above: number;
  /** How many periods of the metric in a row. Default 1. */
  periods?: number;
  /** What it means, and where to read what to do. */
  says: string;
}

/**
 * Rings by e-mail. Without an address there are no alarms at all: each costs money every month, and one that nobody hears
 * is of no use.
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

  /** An alarm on what `scope` is about. */
  add(scope: Construct, id: string, { metric, above, periods = 1, says }: AlarmRule): void {
    if (!this.#action) return;
    const alarm = new Alarm(scope, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${says} See docs/operating.md, "When an alarm rings".`,
    });
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
  }
}

const period = Duration.minutes(5);

/** The alarms of the fleet as a whole; those of queues are made with the queues. */
export function fleetAlarms(
  alarms: Alarms,
  { fleet, apiId, table, scheduleGroup }: { fleet: string; apiId: string; table: ITableV2; scheduleGroup: string },
): void {
  const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}) =>
    new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period });
  alarms.add(alarms, "Server-errors", {
    metric: sum("AWS/ApiGateway", "5xx", { ApiId: apiId }),
    above: 5,
    says: "More than 5 requests in 5 minutes failed by our own fault.",
  });
  alarms.add(alarms, "Slow", {
    metric: fleetMetric(fleet, "request", "durationMs", { statistic: Stats.p(99), period }),
    above: 3000,
    periods: 3,
    says: "For 15 minutes one request in a hundred took more than 3 seconds.",
  });
  alarms.add(alarms, "Throttled-functions", {
    // Without dimensions: of all functions in the account and region, which share one limit.
    metric: sum("AWS/Lambda", "Throttles"),
    above: 0,
    periods: 2,
    says: "Lambda refused to run functions: the account's concurrency is used up.",
  });
  for (const metric of ["ReadThrottleEvents", "WriteThrottleEvents"]) {
    alarms.add(alarms, metric, {
      metric: sum("AWS/DynamoDB", metric, { TableName: table.tableName }),
      above: 10,
      says: "The table refused reads or writes.",
    });
  }
  alarms.add(alarms, "Dropped-schedules", {
    metric: sum("AWS/Scheduler", "InvocationDroppedCount", { ScheduleGroup: scheduleGroup }),
    above: 0,
    says: "EventBridge Scheduler gave up a schedule.",
  });
}

/** A function that keeps failing on the log's entries holds up all that follows from them; the stream forgets them after a day. */
export const followerLate = (fn: IFunction): AlarmRule => ({
  metric: fn.metric("IteratorAge", { statistic: Stats.MAXIMUM, period }),
  above: 15 * 60_000,
  says: "What follows from the log (notifications, mail, the search index) is 15 minutes behind.",
});
