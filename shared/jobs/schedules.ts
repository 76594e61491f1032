import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { observed } from "../aws.ts";
import { describeError } from "../describe-error.ts";
import type { Shape, Values } from "../http/params.ts";
import { type JobKind, jobBody } from "./queues.ts";

let client: SchedulerClient | undefined;
const scheduler = () => (client ??= observed(new SchedulerClient({})));

/** The environment variable that holds the ARN of a queue which schedules may send to. */
export const queueArnVariable = (queue: string) => `QUEUE_ARN_${queue.toUpperCase().replaceAll("-", "_")}`;

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The function's uses do not include ${name}`);
  return value;
}

/**
 * Has EventBridge Scheduler send `job` once, at `atSeconds` (UNIX time, UTC; precision about a minute on AWS).
 * Doing it twice under one name is doing it once. The schedule deletes itself when it has fired.
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
        GroupName: setting("SCHEDULE_GROUP"),
        ScheduleExpression: `at(${new Date(atSeconds * 1000).toISOString().slice(0, 19)})`,
        ScheduleExpressionTimezone: "UTC",
        FlexibleTimeWindow: { Mode: "OFF" },
        ActionAfterCompletion: "DELETE",
        Target: {
          Arn: setting(queueArnVariable(kind.queue)),
          RoleArn: setting("SCHEDULE_ROLE_ARN"),
          Input: jobBody(kind, job),
          RetryPolicy: { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 20 },
          DeadLetterConfig: { Arn: setting("SCHEDULE_DEAD_LETTER_ARN") },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/**
 * Does what follows a change that has been written. A failure is logged and not thrown: the change holds, the caller is
 * told so, and the sweeper of its kind does what was left undone.
 */
export async function followUp(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(JSON.stringify({ leftToSweeper: describeError(error) }));
  }
}

/** Removes a schedule that has not fired; one that is gone already is no error. */
export async function cancelSchedule(name: string): Promise<void> {
  try {
    await scheduler().send(new DeleteScheduleCommand({ Name: name, GroupName: setting("SCHEDULE_GROUP") }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
