import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { Alias, type IVersion, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { type FleetMember, routeKeyOf } from "../fleet.ts";

/** The functions without which nobody can chat; each needs an application and a role of CodeDeploy. */
const busiest = new Set(["POST /api/v1/messages", "POST /api/v1/register", "GET /api/v1/events"]);

/** The alias that a canary moves. */
export const liveAlias = "live";

export const hasCanary = (member: FleetMember): boolean =>
  member.kind === "endpoint" && busiest.has(routeKeyOf(member.spec));

/**
 * The alias of a function that an upgrade moves to the new version in two steps: a tenth of the requests for five minutes, then
 * all. If an alarm goes off, CodeDeploy moves it back, and CloudFormation rolls the whole upgrade back.
 */
export function canaryAlias(scope: Construct, fn: LambdaFunction, apiId: string): void {
  const alias = new Alias(scope, "Live", { aliasName: liveAlias, version: fn.currentVersion as IVersion });
  const period = Duration.minutes(1);
  const alarm = (id: string, metric: Metric, threshold: number) =>
    new Alarm(scope, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  new LambdaDeploymentGroup(scope, "Canary", {
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms: [
      alarm("Canary-crashes", alias.metricErrors({ period }), 0),
      // A function that answers with an error of its own does not count as failed for Lambda.
      alarm(
        "Canary-errors",
        new Metric({
          namespace: "AWS/ApiGateway",
          metricName: "5xx",
          dimensionsMap: { ApiId: apiId },
          statistic: Stats.SUM,
          period,
        }),
        5,
      ),
    ],
  });
}
