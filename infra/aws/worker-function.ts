import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { WorkerMember } from "../fleet.ts";
import { isUnconfigured, timeoutSecondsOf } from "../queues.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { memberId } from "./identity.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb" | "triggerPermission"> & {
  member: WorkerMember;
  queue: IQueue;
};

/**
 * One worker on AWS: its function, and the mapping from its queue. The mapping is disabled if the service
 * that the worker belongs to is not set up, because polling an empty queue costs money.
 */
export class WorkerFunction extends Construct {
  constructor(scope: Construct, { queue, ...props }: Props) {
    super(scope, memberId(props.member));
    const { spec } = props.member;
    const { services, jobConcurrency } = props.settings;
    const enabled = !isUnconfigured(spec, services);
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: timeoutSecondsOf(props.member),
      memoryMb: spec.memoryMb,
      triggerPermission: new PolicyStatement({
        actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
        resources: [queue.queueArn],
      }),
    });
    // CDK's SqsEventSource would call queue.grantConsumeMessages, which grants more than the mapping needs.
    const mapping = new EventSourceMapping(this, "Jobs", {
      target: fn,
      eventSourceArn: queue.queueArn,
      batchSize: spec.batchSize ?? 10,
      // Any maximum stops Lambda from polling a quiet queue less often, which is most of what an idle fleet costs.
      ...(jobConcurrency > 0 && { maxConcurrency: jobConcurrency }),
      reportBatchItemFailures: true,
      enabled,
    });
    // Lambda rejects the mapping until the role may read the queue.
    if (fn.role) mapping.node.addDependency(fn.role);
  }
}
