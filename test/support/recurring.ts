import { randomUUID } from "node:crypto";
import { CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { functionArnVariable } from "../../infra/queues.ts";
import { recurringInput } from "../../shared/jobs/recurring.ts";

let client: SchedulerClient | undefined;

/** Has the scheduler run recurring work once more, as soon as it looks. */
export async function runSoon(work: string): Promise<void> {
  client ??= new SchedulerClient({});
  await client.send(
    new CreateScheduleCommand({
      Name: `soon-${randomUUID()}`,
      GroupName: process.env.SCHEDULE_GROUP,
      ScheduleExpression: `at(${new Date().toISOString().slice(0, 19)})`,
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: {
        Arn: process.env[functionArnVariable(work)],
        RoleArn: process.env.SCHEDULE_ROLE_ARN,
        Input: recurringInput,
      },
    }),
  );
}
