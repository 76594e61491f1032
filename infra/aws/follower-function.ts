import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { entriesFilters } from "../../shared/store/log/stream.ts";
import type { FollowerMember } from "../fleet.ts";
import { type Alarms, followerLagAlarm } from "./alarms.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { memberId } from "./identity.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb" | "triggerPermission"> & {
  member: FollowerMember;
  streamArn: string;
  alarms: Alarms;
};

/** A follower of the log on AWS: its function, and the event source mapping from the table's stream. */
export class FollowerFunction extends Construct {
  constructor(scope: Construct, { streamArn, alarms, ...props }: Props) {
    super(scope, memberId(props.member));
    const { timeoutSeconds, memoryMb, batchingWindowSeconds, retriesUntilSuccess } = props.member.spec;
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: timeoutSeconds ?? 30,
      memoryMb,
      triggerPermission: new PolicyStatement({
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
      batchSize: 100,
      ...(batchingWindowSeconds !== undefined && { maxBatchingWindow: Duration.seconds(batchingWindowSeconds) }),
      // With `retriesUntilSuccess` it is retried for as long as the stream keeps entries (24 hours). Any other one only
      // notifies waiting clients, which soon ask by themselves.
      ...(retriesUntilSuccess
        ? { startingPosition: StartingPosition.TRIM_HORIZON, maxRecordAge: Duration.hours(24), retryAttempts: 100 }
        : { startingPosition: StartingPosition.LATEST, maxRecordAge: Duration.seconds(60), retryAttempts: 2 }),
      filters: entriesFilters(props.member.spec.events).map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    });
    if (fn.role) mapping.node.addDependency(fn.role);
    if (retriesUntilSuccess) alarms.add(this, "Log-late", followerLagAlarm(fn));
  }
}
