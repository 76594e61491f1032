import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { DeploySettings } from "./settings.ts";

/** A log group with the retention of the settings, deleted with the stack. */
export const logGroup = (scope: Construct, id: string, settings: DeploySettings): LogGroup =>
  new LogGroup(scope, id, { retention: settings.logRetention, removalPolicy: RemovalPolicy.DESTROY });
