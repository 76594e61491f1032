import { randomUUID } from "node:crypto";
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
import { functionArnVariable, recurringInput } from "./recurring.ts";

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

/** Has EventBridge Scheduler run recurring work as soon as it can, within about a minute on AWS, besides its own schedule. */
export async function startRun(work: string): Promise<void> {
  const at = new Date(Date.now() + startDelayMs).toISOString().slice(0, 19);
  await scheduler().send(
    new CreateScheduleCommand({
      Name: `start-${randomUUID()}`,
      GroupName: declaredVariable("SCHEDULE_GROUP"),
      ScheduleExpression: `at(${at})`,
      ScheduleExpressionTimezone: "UTC",
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: {
        Arn: declaredVariable(functionArnVariable(work)),
        RoleArn: declaredVariable("SCHEDULE_ROLE_ARN"),
        Input: recurringInput,
        RetryPolicy: { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 20 },
        DeadLetterConfig: { Arn: declaredVariable("SCHEDULE_DEAD_LETTER_ARN") },
      },
    }),
  );
}

/** More than the whole second that the expression leaves out: a schedule cannot be for a time that has passed. */
const startDelayMs = 2000;

/** Deletes a schedule. Idempotent, also after it has fired. */
export async function cancelSchedule(name: string): Promise<void> {
  try {
    await scheduler().send(new DeleteScheduleCommand({ Name: name, GroupName: declaredVariable("SCHEDULE_GROUP") }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
