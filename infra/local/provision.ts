import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { functionArnVariable, recurringInput } from "../../shared/services/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/services/jobs/schedules.ts";
import { type FleetMember, isRecurring } from "../fleet.ts";
import { configuredServices, isUnconfigured, queuesOf } from "../queues.ts";
import { account, region } from "./aws/names.ts";
import type { LocalServices } from "./aws/services.ts";
import { queueArn, queueUrl } from "./aws/sqs/store.ts";

type Services = Pick<LocalServices, "filesUrl" | "stores">;

/** Creates the resources that CloudFormation creates on AWS, unless they exist. Returns the functions' environment. */
export function provision(fleet: readonly FleetMember[], services: Services): Record<string, string> {
  return services.stores.database.transaction(() => {
    const functions = functionArns(fleet);
    const queues = provisionQueues(fleet, services);
    provisionSchedules(fleet, functions, services);
    const storage = provisionStorage(services);
    return { ...storage, SCHEDULE_GROUP: groupName, SCHEDULE_ROLE_ARN: roleArn, ...queues, ...functions };
  });
}

/** The part of `provision` that, besides the table, stores the organization: files and secret. */
export function provisionStorage({ filesUrl, stores: { files } }: Services): Record<string, string> {
  files.putBucket(bucketName);
  return { AWS_REGION: region, AWS_ENDPOINT_URL_S3: filesUrl, FILES_BUCKET: bucketName, SECRET_ARN: "skein" };
}

/** The ARNs of the functions of recurring work, by environment variable. */
const functionArns = (fleet: readonly FleetMember[]): Record<string, string> =>
  Object.fromEntries(
    fleet
      .filter(isRecurring)
      .map(({ name, spec }) => [
        functionArnVariable(spec.work),
        `arn:aws:lambda:${region}:${account}:function:${name}`,
      ]),
  );

const bucketName = "skein-files";
const groupName = "skein";
const roleArn = `arn:aws:iam::${account}:role/skein-schedules`;
const scheduleDeadLetterQueue = "schedules-dead-letters";

/** Creates a queue, or changes the attributes of an existing one. */
function putQueue({ stores: { queues } }: Services, name: string, attributes: Record<string, string> = {}) {
  const existing = queues.findQueue(name)?.attributes;
  const merged = { ...existing, ...attributes };
  if (!existing || JSON.stringify(existing) !== JSON.stringify(merged)) queues.putQueue(name, merged);
  return { url: queueUrl(name), arn: queueArn(name) };
}

function provisionQueues(fleet: readonly FleetMember[], services: Services): Record<string, string> {
  const queueEnvironments = queuesOf(fleet).map(({ name, visibilitySeconds, attempts }) => {
    const deadLetters = putQueue(services, `${name}-dead-letters`);
    const queue = putQueue(services, name, {
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: attempts }),
    });
    return { [queueUrlVariable(name)]: queue.url, [queueArnVariable(name)]: queue.arn };
  });
  const { arn } = putQueue(services, scheduleDeadLetterQueue);
  return Object.assign({ SCHEDULE_DEAD_LETTER_ARN: arn }, ...queueEnvironments);
}

function provisionSchedules(
  fleet: readonly FleetMember[],
  functions: Record<string, string>,
  { stores: { schedules } }: Services,
): void {
  schedules.putGroup(groupName);
  const configured = configuredServices();
  for (const { spec } of fleet.filter(isRecurring)) {
    const name = `recurring-${spec.work}`;
    const definition = {
      ScheduleExpression: `rate(${spec.rate})`,
      State: isUnconfigured(spec, configured) ? "DISABLED" : "ENABLED",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { Arn: functions[functionArnVariable(spec.work)], RoleArn: roleArn, Input: recurringInput },
    };
    const existing = schedules.find(groupName, name);
    schedules.put({ group: groupName, name, definition }, existing?.createdAt);
  }
}
