import { randomUUID } from "node:crypto";
import { CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { functionArnVariable } from "../../../infra/queues.ts";
import { recurringInput } from "../../../shared/services/jobs/recurring.ts";

/** Schedules an extra run of recurring work, due immediately; `environment` is the fleet's environment variables. */
export async function scheduleNow(work: string, environment: Record<string, string | undefined> = process.env) {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId = "",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "",
  } = environment;
  const endpoint = environment.AWS_ENDPOINT_URL_SCHEDULER ?? environment.AWS_ENDPOINT_URL;
  const client = new SchedulerClient({
    ...(region && { region }),
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey },
  });
  const command = new CreateScheduleCommand({
    Name: `now-${randomUUID()}`,
    GroupName: environment.SCHEDULE_GROUP,
    ScheduleExpression: `at(${new Date().toISOString().slice(0, 19)})`,
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
    Target: {
      Arn: environment[functionArnVariable(work)],
      RoleArn: environment.SCHEDULE_ROLE_ARN,
      Input: recurringInput,
    },
  });
  await client.send(command).finally(() => client.destroy());
}
