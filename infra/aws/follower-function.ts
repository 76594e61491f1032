import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { entriesFilter } from "../../shared/store/log-stream.ts";
import type { FollowerMember } from "../fleet.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "trigger"> & {
  member: FollowerMember;
  streamArn: string;
};

/** One follower of the log on AWS: its function, log group, role, and the mapping from the table's stream. */
export class FollowerFunction extends Construct {
  constructor(scope: Construct, { streamArn, ...props }: Props) {
    super(scope, props.member.name);
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: 30,
      trigger: new PolicyStatement({
        actions: [
          "dynamodb:DescribeStream",
          "dynamodb:GetRecords",
          "dynamodb:GetShardIterator",
          "dynamodb:ListStreams",
        ],
        resources: [streamArn],
      }),
    });
    const mapping = new EventSourceMapping(this, "Entries", {
      target: fn,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      // What is older than a minute wakes nobody any more.
      maxRecordAge: Duration.seconds(60),
      retryAttempts: 2,
      filters: [{ pattern: JSON.stringify(entriesFilter) }],
    });
    if (fn.role) mapping.node.addDependency(fn.role);
  }
}
