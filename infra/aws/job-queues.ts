import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { FleetMember } from "../fleet.ts";
import { isWorker, type WorkerMember } from "../fleet.ts";
import { isQueued, queueOf } from "../queues.ts";
import type { Alarms } from "./alarms.ts";
import type { DeploySettings } from "./settings.ts";

/** Queues are encrypted and accept only TLS, except in emulators, which have no TLS. */
const securityProps = ({ emulator }: DeploySettings, key: IKey | undefined) => ({
  ...(key
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
    : { encryption: QueueEncryption.SQS_MANAGED }),
  enforceSSL: !emulator,
});

/** Keeps failed jobs for the 14 days that SQS allows; an alarm goes off when there is one. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string, settings: DeploySettings, alarms: Alarms, key: IKey | undefined) {
    super(scope, id, { ...securityProps(settings, key), retentionPeriod: Duration.days(14) });
    alarms.add(this, "Alarm", {
      metric: this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: "Maximum" }),
      threshold: 0,
      description: `Jobs were given up: ${this.node.path}.`,
    });
  }
}

/** One worker's queue. Jobs that it gives up go to the queue that all share. */
export class JobQueue extends Construct {
  readonly queue: Queue;

  constructor(
    scope: Construct,
    member: WorkerMember,
    settings: DeploySettings,
    deadLetters: Queue,
    key: IKey | undefined,
  ) {
    const { name, visibilitySeconds, attempts } = queueOf(member);
    super(scope, `Queue-${name}`);
    this.queue = new Queue(this, "Jobs", {
      ...securityProps(settings, key),
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: attempts },
    });
  }
}

/** The queues that the fleet's workers declare, by name. */
export const jobQueues = (
  scope: Construct,
  fleet: readonly FleetMember[],
  settings: DeploySettings,
  deadLetters: Queue,
  key: IKey | undefined,
): Map<string, JobQueue> =>
  new Map(
    fleet
      .filter(isWorker)
      .filter(isQueued)
      .map((member) => [member.spec.queue, new JobQueue(scope, member, settings, deadLetters, key)]),
  );
