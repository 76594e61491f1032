import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Member } from "../fleet.ts";
import { type QueueShape, queuesOf } from "../queues.ts";

/** A queue that keeps what could not be done for as long as SQS can, with an alarm that rings when there is something in it. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, { retentionPeriod: Duration.days(14) });
    new Alarm(this, "Alarm", {
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: "Maximum" }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `Jobs that were given up: ${this.node.path}`,
    });
  }
}

/** Longer than the retries of any worker take: a job that is older shows that its worker does not keep up. */
const longestWaitSeconds = 1800;

/** One worker's queue with its dead-letter queue, and an alarm that rings when its jobs wait. */
export class JobQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, { name, visibilitySeconds, attempts }: QueueShape) {
    super(scope, `Queue-${name}`);
    this.queue = new Queue(this, "Jobs", {
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: new DeadLetterQueue(this, "Given-up"), maxReceiveCount: attempts },
    });
    new Alarm(this, "Waiting", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: "Maximum" }),
      threshold: longestWaitSeconds,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `Jobs wait too long: ${this.node.path}`,
    });
  }
}

/** The queues that the fleet's workers declare, by name. */
export const jobQueues = (scope: Construct, fleet: readonly Member[]): Map<string, JobQueue> =>
  new Map(queuesOf(fleet).map((shape) => [shape.name, new JobQueue(scope, shape)]));
