import { randomBytes } from "node:crypto";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { recurringInput } from "../../shared/services/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/services/jobs/schedules.ts";
import { type FleetMember, isRecurring } from "../fleet.ts";
import { configuredServices, functionArnVariable, isUnconfigured, queuesOf } from "../queues.ts";
import { account } from "./aws/protocol.ts";
import type { AwsEmulator } from "./aws/server.ts";
import { queueArn } from "./aws/sqs/queue.ts";

/** The emulator in this process; what is created there needs no requests. */
type Emulator = Pick<AwsEmulator, "url" | "stores">;

/** Creates the resources that CloudFormation creates on AWS, unless they exist. Returns the functions' environment. */
export function provision(fleet: readonly FleetMember[], emulator: Emulator): Record<string, string> {
  return emulator.stores.database.transaction(() => {
    const functions = functionArns(fleet);
    const queues = provisionQueues(fleet, emulator);
    provisionSchedules(fleet, functions, emulator);
    const storage = provisionStorage(emulator);
    return { ...storage, SCHEDULE_GROUP: groupName, SCHEDULE_ROLE_ARN: roleArn, ...queues, ...functions };
  });
}

/** The part of `provision` that, besides the table, stores the organization: files and secret. */
export function provisionStorage({ stores: { objects, secrets } }: Emulator): Record<string, string> {
  objects.putBucket(bucketName);
  const secretArn =
    secrets.find(secretName)?.arn ??
    secrets.create({ name: secretName, region, value: randomBytes(32).toString("base64") }).arn;
  return { FILES_BUCKET: bucketName, SECRET_ARN: secretArn };
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

const region = "us-east-1";
const bucketName = "skein-files";
const groupName = "skein";
const secretName = "skein";
const roleArn = `arn:aws:iam::${account}:role/skein-schedules`;
const scheduleDeadLetterQueue = "schedules-dead-letters";

/** Creates a queue, or changes the attributes of an existing one. */
function putQueue({ url, stores: { queues } }: Emulator, name: string, attributes: Record<string, string> = {}) {
  const existing = queues.findQueue(name)?.attributes;
  const merged = { ...existing, ...attributes };
  if (!existing || JSON.stringify(existing) !== JSON.stringify(merged))
    queues.putQueue({ name, region, attributes: merged });
  return { url: `${url}/${account}/${name}`, arn: queueArn({ region, name }) };
}

function provisionQueues(fleet: readonly FleetMember[], emulator: Emulator): Record<string, string> {
  const queueEnvironments = queuesOf(fleet).map(({ name, visibilitySeconds, attempts }) => {
    const deadLetters = putQueue(emulator, `${name}-dead-letters`);
    const queue = putQueue(emulator, name, {
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: attempts }),
    });
    return { [queueUrlVariable(name)]: queue.url, [queueArnVariable(name)]: queue.arn };
  });
  const { arn } = putQueue(emulator, scheduleDeadLetterQueue);
  return Object.assign({ SCHEDULE_DEAD_LETTER_ARN: arn }, ...queueEnvironments);
}

function provisionSchedules(
  fleet: readonly FleetMember[],
  functions: Record<string, string>,
  { stores: { schedules } }: Emulator,
): void {
  schedules.putGroup(groupName, region);
  const services = configuredServices();
  for (const { spec } of fleet.filter(isRecurring)) {
    const name = `recurring-${spec.work}`;
    const definition = {
      ScheduleExpression: `rate(${spec.rate})`,
      State: isUnconfigured(spec, services) ? "DISABLED" : "ENABLED",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { Arn: functions[functionArnVariable(spec.work)], RoleArn: roleArn, Input: recurringInput },
    };
    const existing = schedules.find(groupName, name);
    schedules.put({ group: groupName, name, region, definition }, existing?.createdAt);
  }
}
