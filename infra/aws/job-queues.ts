import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Member } from "../fleet.ts";
import { isWorker, type WorkerMember } from "../fleet.ts";
import { isIdle, queueOf } from "../queues.ts";
import type { Alarms } from "./alarms.ts";
import type { DeploySettings } from "./settings.ts";

/** Encrypted, and over TLS alone; MiniStack speaks plain HTTP and would have to refuse everyone. */
const safe = ({ miniStack }: DeploySettings) => ({ encryption: QueueEncryption.SQS_MANAGED, enforceSSL: !miniStack });

/** A queue that keeps what could not be done for as long as SQS can, with an alarm that rings when there is something in it. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, settings: DeploySettings, alarms: Alarms) {
    super(scope, id, { ...safe(settings), retentionPeriod: Duration.days(14) });
    alarms.add(this, "Alarm", {
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: "Maximum" }),
      above: 0,
      says: `Jobs were given up: ${this.node.path}.`,
    });
  }
}

/** Longer than the retries of any worker take: a job that is older shows that its worker does not keep up. */
const longestWaitSeconds = 1800;

/** One worker's queue with its dead-letter queue, and an alarm that rings when its jobs wait. */
export class JobQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: DeadLetterQueue;

  constructor(scope: Construct, member: WorkerMember, settings: DeploySettings, alarms: Alarms) {
    const { name, visibilitySeconds, attempts } = queueOf(member);
    super(scope, `Queue-${name}`);
    this.deadLetters = new DeadLetterQueue(this, "Given-up", settings, alarms);
    this.queue = new Queue(this, "Jobs", {
      ...safe(settings),
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: attempts },
    });
    // What is left in the queue of a service that was given up waits to be forgotten.
    if (isIdle(member.spec, settings.services)) return;
    alarms.add(this, "Waiting", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: "Maximum" }),
      above: longestWaitSeconds,
      says: `Jobs wait for more than half an hour: ${this.node.path}.`,
    });
  }
}

/** The queues that the fleet's workers declare, by name. */
export const jobQueues = (
  scope: Construct,
  fleet: readonly Member[],
  settings: DeploySettings,
  alarms: Alarms,
): Map<string, JobQueue> =>
  new Map(fleet.filter(isWorker).map((member) => [member.spec.queue, new JobQueue(scope, member, settings, alarms)]));
