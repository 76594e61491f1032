import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { observed } from "../../base/aws/observe.ts";
import { declaredVariable } from "../../base/environment.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import { type JobKind, jobBody } from "./queues.ts";

let client: SchedulerClient | undefined;
const scheduler = () => (client ??= observed(new SchedulerClient({})));

/** The environment variable with the ARN of a queue that schedules send to. */
export const queueArnVariable = (queue: string) => `QUEUE_ARN_${queue.toUpperCase().replaceAll("-", "_")}`;

/**
 * Has EventBridge Scheduler send `job` once, at `atSeconds` (UNIX time; precise to about a minute on AWS). Idempotent for one
 * name. The schedule deletes itself when it has fired.
 */
export async function scheduleJob<S extends Shape>(
  name: string,
  atSeconds: number,
  kind: JobKind<S>,
  job: Values<S>,
): Promise<void> {
  try {
    await scheduler().send(
      new CreateScheduleCommand({
        Name: name,
        GroupName: declaredVariable("SCHEDULE_GROUP"),
        ScheduleExpression: `at(${new Date(atSeconds * 1000).toISOString().slice(0, 19)})`,
        ScheduleExpressionTimezone: "UTC",
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: {
          Arn: declaredVariable(queueArnVariable(kind.queue)),
          RoleArn: declaredVariable("SCHEDULE_ROLE_ARN"),
          Input: jobBody(kind, job),
          RetryPolicy: { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 20 },
          DeadLetterConfig: { Arn: declaredVariable("SCHEDULE_DEAD_LETTER_ARN") },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/** Deletes a schedule. Idempotent, also after it has fired. */
export async function cancelSchedule(name: string): Promise<void> {
  try {
    await scheduler().send(new DeleteScheduleCommand({ Name: name, GroupName: declaredVariable("SCHEDULE_GROUP") }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
