import { randomUUID } from "node:crypto";
import { CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { functionArnVariable, recurringInput } from "../../../shared/services/jobs/recurring.ts";
import { awsCallsVariable, callAws } from "../hosts/aws-calls.ts";

/** Schedules an extra run of recurring work, due immediately; `environment` is the fleet's environment variables. */
export async function scheduleNow(work: string, environment: Record<string, string | undefined> = process.env) {
  const input = {
    Name: `now-${randomUUID()}`,
    GroupName: environment.SCHEDULE_GROUP,
    ScheduleExpression: `at(${new Date().toISOString().slice(0, 19)})`,
    FlexibleTimeWindow: { Mode: "OFF" as const },
    ActionAfterCompletion: "DELETE" as const,
    Target: {
      Arn: environment[functionArnVariable(work)],
      RoleArn: environment.SCHEDULE_ROLE_ARN,
      Input: recurringInput,
    },
  };
  if (environment[awsCallsVariable]) await callAws(environment, "SchedulerClient", "CreateScheduleCommand", input);
  else await new SchedulerClient({}).send(new CreateScheduleCommand(input));
}
