import { ArnFormat, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { ScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import type { FleetMember } from "../fleet.ts";
import { scheduledQueuesOf, startedWorksOf } from "../queues.ts";
import type { Alarms } from "./alarms.ts";
import { keyStatements } from "./grants.ts";
import { startedFunctionName } from "./identity.ts";
import { DeadLetterQueue, type JobQueue } from "./job-queues.ts";
import type { DeploySettings } from "./settings.ts";

/** The fleet's schedule group, the role that its schedules run with, and their dead-letter queue. */
export class Schedules extends Construct {
  readonly groupName: string;
  readonly schedulesArns: string[];
  readonly role: Role;
  readonly deadLetters: DeadLetterQueue;
  /** The ARNs of the functions of recurring work that other functions start, by work. */
  readonly startedArns: ReadonlyMap<string, string>;

  constructor(
    scope: Construct,
    fleet: readonly FleetMember[],
    queues: ReadonlyMap<string, JobQueue>,
    settings: DeploySettings,
    alarms: Alarms,
    key: IKey | undefined,
  ) {
    super(scope, "Schedules");
    // Deleted with the stack: its name is fixed, so a group that is left would fail the next deployment. Sweeps create the
    // schedules of a kept table again.
    this.groupName = new ScheduleGroup(this, "Group", { removalPolicy: RemovalPolicy.DESTROY }).scheduleGroupName;
    // MiniStack (1.5.33) evaluates permissions as if every schedule were in the group "default".
    this.schedulesArns = [this.groupName, ...(settings.emulator ? ["default"] : [])].map((group) =>
      Stack.of(this).formatArn({ service: "scheduler", resource: "schedule", resourceName: `${group}/*` }),
    );
    // A queue of its own: SQS can send back only what came from a queue.
    this.deadLetters = new DeadLetterQueue(this, "Dead-letters", settings, alarms, key);
    const targets = scheduledQueuesOf(fleet).flatMap((name) => queues.get(name)?.queue.queueArn ?? []);
    this.startedArns = new Map(
      startedWorksOf(fleet).map((work) => [
        work,
        Stack.of(this).formatArn({
          ...{ service: "lambda", resource: "function", arnFormat: ArnFormat.COLON_RESOURCE_NAME },
          resourceName: startedFunctionName(settings.name, work),
        }),
      ]),
    );
    this.role = new Role(this, "Role", {
      // Without this condition another account's schedules could assume the role through the service (confused deputy).
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
      inlinePolicies: {
        send: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [...targets, this.deadLetters.queueArn] }),
            ...(this.startedArns.size > 0
              ? [new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [...this.startedArns.values()] })]
              : []),
            ...keyStatements(key?.keyArn),
          ],
        }),
      },
    });
  }
}
