import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup, LogGroupClass } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { DeploySettings } from "./settings.ts";

/**
 * A group of logs, of the class that takes lines for half the price and shows them to Logs Insights alone; of the standard
 * class where CloudWatch makes metrics of its lines.
 */
export function logGroup(scope: Construct, id: string, settings: DeploySettings, { metrics = false } = {}): LogGroup {
  // No group's class can be changed: one of the other class is another resource, which takes the former one's place.
  return new LogGroup(scope, metrics ? id : `${id}-infrequent`, {
    logGroupClass: metrics ? LogGroupClass.STANDARD : LogGroupClass.INFREQUENT_ACCESS,
    retention: settings.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
