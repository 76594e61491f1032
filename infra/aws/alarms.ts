import { Duration } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { tableShape } from "../table/table-shape.ts";
import { fleetMetric } from "./metrics.ts";
import type { DeploySettings } from "./settings.ts";

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

interface Monitored {
  fleet: string;
  apiId: string;
  table: ITableV2;
  scheduleGroup: string;
}

/** The alarms of the fleet as a whole; `DeadLetterQueue` and `JobQueue` add those of queues. */
export function fleetAlarms(
  alarms: Alarms,
  { fleet, apiId, table, scheduleGroup }: Monitored,
  { emulator, alarmsTo, monthlyBudget }: DeploySettings,
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
  const tableAndIndexes = [undefined, ...tableShape.indexes.map(({ name }) => name)];
  for (const index of tableAndIndexes) {
    const scope = index ? new Construct(alarms, index) : alarms;
    for (const metric of ["ReadThrottleEvents", "WriteThrottleEvents"])
      alarms.add(scope, metric, {
        metric: sum("AWS/DynamoDB", metric, {
          TableName: table.tableName,
          ...(index && { GlobalSecondaryIndexName: index }),
        }),
        threshold: 10,
        description: `The table${index ? `'s index ${index}` : ""} throttled reads or writes.`,
      });
  }
  // Emulators know neither this function of metrics nor budgets.
  if (!emulator) {
    alarms.add(alarms, "Concurrency", { metric: concurrencyShare(), threshold: 80, description: concurrencyText });
    if (alarmsTo && monthlyBudget > 0) accountBudget(alarms, alarmsTo, monthlyBudget);
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

const concurrencyText = "More than 80 % of the functions that the account may run at once are running.";

/** How much of the account's quota of concurrent functions is in use, in percent. */
const concurrencyShare = () =>
  new MathExpression({
    expression: "100 * used / SERVICE_QUOTA(used)",
    period,
    usingMetrics: {
      used: new Metric({
        namespace: "AWS/Usage",
        metricName: "ResourceCount",
        dimensionsMap: { Service: "Lambda", Resource: "ConcurrentExecutions", Type: "Resource", Class: "None" },
        statistic: Stats.MAXIMUM,
        period,
      }),
    },
  });

/** A budget for the account's whole bill, which mails when 80 % is spent, or more than all of it is forecast. */
const accountBudget = (scope: Construct, address: string, dollars: number) =>
  new CfnBudget(scope, "Budget", {
    budget: { budgetType: "COST", timeUnit: "MONTHLY", budgetLimit: { amount: dollars, unit: "USD" } },
    notificationsWithSubscribers: [
      { notificationType: "ACTUAL", threshold: 80 },
      { notificationType: "FORECASTED", threshold: 100 },
    ].map((notification) => ({
      notification: { ...notification, thresholdType: "PERCENTAGE", comparisonOperator: "GREATER_THAN" },
      subscribers: [{ subscriptionType: "EMAIL", address }],
    })),
  });

/** The function that notifies waiting clients gives up after three attempts; they then wait for up to a minute, or four at a WebSocket. */
export const notificationAlarm = (fn: IFunction): AlarmRule => ({
  metric: fn.metricErrors({ period }),
  threshold: 0,
  periods: 2,
  description: "For 10 minutes runs of the function that notifies waiting clients fail.",
});

/** The smoke test runs every five minutes. One failure may be a deployment's. */
export const smokeTestAlarm = (fn: IFunction): AlarmRule => ({
  metric: fn.metricErrors({ period: Duration.minutes(15) }),
  threshold: 1,
  description: "The smoke test failed at least twice in 15 minutes: clients may not reach the fleet.",
});

/**
 * With wake-up queues a poll is answered at once, by events or a redirect. If functions hold polls, then because the smoke test
 * has not seen the route work, or because it fails.
 */
export const heldPollsAlarm = (fn: IFunction): AlarmRule => ({
  metric: fn.metricDuration({ statistic: Stats.p(90), period }),
  // Milliseconds; a function holds a poll for up to 10 s.
  threshold: 5_000,
  periods: 3,
  description:
    "For 15 minutes functions hold the polls that should wait at wake-up queues, which costs forty times as much.",
});
