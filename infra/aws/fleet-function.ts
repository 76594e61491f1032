import { Duration, Size } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { FleetMember } from "../fleet.ts";
import type { FunctionRoles } from "./function-roles.ts";
import { environmentFor, type SharedResources } from "./grants.ts";
import type { DeploySettings } from "./settings.ts";

export interface FunctionProps {
  member: FleetMember;
  /** The folder with the function's bundle. */
  folder: string;
  shared: SharedResources;
  roles: FunctionRoles;
  /** The log group of all functions. */
  logs: ILogGroup;
  settings: DeploySettings;
  timeoutSeconds: number;
  /** By default CloudFormation names it. */
  functionName?: string;
  /** The memory that this function needs, if it is more than the setting. */
  memoryMb?: number | undefined;
  /** The space for temporary files that it needs, if it is more than Lambda's default. */
  temporaryMb?: number | undefined;
  /** A permission that the function's trigger needs, in addition to those that the function's `uses` grant. */
  triggerPermission?: PolicyStatement;
}

/** One member's function; its role and environment follow from its `uses`. */
export function fleetFunction(scope: Construct, props: FunctionProps): LambdaFunction {
  const { member, shared, roles, logs, settings, memoryMb = 0 } = props;
  const { uses } = member.spec;
  return new LambdaFunction(scope, "Function", {
    ...(props.functionName !== undefined && { functionName: props.functionName }),
    description: `${member.resource}/${member.name}`,
    runtime: Runtime.NODEJS_24_X,
    architecture: settings.samLocal && process.arch === "x64" ? Architecture.X86_64 : Architecture.ARM_64,
    memorySize: Math.max(settings.memoryMb, memoryMb),
    ...(props.temporaryMb !== undefined && { ephemeralStorageSize: Size.mebibytes(props.temporaryMb) }),
    timeout: Duration.seconds(props.timeoutSeconds),
    handler: "index.handler",
    code: Code.fromAsset(props.folder),
    environment: {
      // The dimension that separates this fleet's metrics from another's; without it a function writes no metrics.
      ...(settings.metrics && { SKEIN_FLEET: settings.name }),
      ...environmentFor(uses, shared),
      // SAM passes only variables that the template declares. An empty one has no effect.
      ...(settings.samLocal && { AWS_ENDPOINT_URL: "" }),
    },
    role: roles.roleFor(uses, props.triggerPermission),
    logGroup: logs,
    loggingFormat: LoggingFormat.JSON,
    // Omits Lambda's START, END and REPORT lines to save log bytes: our own line has the request's ID and duration.
    systemLogLevelV2: SystemLogLevel.WARN,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    ...(settings.tracing && { tracing: Tracing.ACTIVE }),
  });
}
