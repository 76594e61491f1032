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
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { fleetMetric } from "./metrics.ts";
import type { DeploySettings } from "./settings.ts";

interface AlarmRule {
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

/** Longer than any worker's retries take: an older job means that its worker does not keep up. */
const maxJobAgeMs = 1_800_000;

interface Monitored {
  fleet: string;
  apiId: string;
  connectionsApiId: string;
}

/**
 * The alarms of the fleet as a whole; `DeadLetterQueue`, followers and the polls' function add their own. CloudWatch asks the same
 * for each metric of an alarm, also within an expression, so that what is one concern has one metric.
 */
export function fleetAlarms(
  alarms: Alarms,
  { fleet, apiId, connectionsApiId }: Monitored,
  { emulator, alarmsTo, monthlyBudget }: DeploySettings,
): void {
  const sum = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}) =>
    new Metric({ namespace, metricName, dimensionsMap, statistic: Stats.SUM, period });
  alarms.add(alarms, "Server-errors", {
    metric: sum("AWS/ApiGateway", "5xx", { ApiId: apiId }),
    threshold: 5,
    description: "More than 5 requests in 5 minutes failed with a server error.",
  });
  alarms.add(alarms, "Connection-errors", {
    metric: sum("AWS/ApiGateway", "IntegrationError", { ApiId: connectionsApiId }),
    threshold: 5,
    description: "More than 5 messages or connections of the WebSocket API failed in 5 minutes.",
  });
  alarms.add(alarms, "Late-jobs", {
    metric: fleetMetric(fleet, "job", "waitedMs", { statistic: Stats.MAXIMUM, period }),
    threshold: maxJobAgeMs,
    description: "A job waited for more than half an hour.",
  });
  alarms.add(alarms, "Failing-jobs", {
    metric: fleetMetric(fleet, "job", "serverErrors", { statistic: Stats.SUM, period }),
    threshold: 0,
    periods: 3,
    description: "For 15 minutes jobs, recurring work or the function that notifies waiting clients fail.",
  });
  alarms.add(alarms, "Slow", {
    metric: fleetMetric(fleet, "request", "durationMs", { statistic: Stats.p(99), period }),
    // Milliseconds.
    threshold: 3000,
    periods: 3,
    description: "For 15 minutes one request in a hundred took more than 3 seconds.",
  });
  alarms.add(alarms, "Table-retries", {
    metric: fleetMetric(fleet, "request", "tableRetries", { statistic: Stats.SUM, period }),
    threshold: 10,
    description: "Calls of requests to the table or its indexes had to be repeated: they throttle, or fail.",
  });
  // Emulators know neither this function of metrics nor budgets.
  if (!emulator) {
    alarms.add(alarms, "Concurrency", { metric: concurrencyShare(), threshold: 80, description: concurrencyText });
    if (alarmsTo && monthlyBudget > 0) accountBudget(alarms, alarmsTo, monthlyBudget);
  }
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
