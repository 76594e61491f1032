import { randomBytes } from "node:crypto";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import {
  ConflictException,
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { CreateSecretCommand, DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { queueUrlVariable } from "../../shared/jobs/queues.ts";
import { recurringInput } from "../../shared/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/jobs/schedules.ts";
import { type FleetMember, isRecurring } from "../fleet.ts";
import { configuredServices, functionArnVariable, isUnconfigured, queuesOf } from "../queues.ts";

/** Creates the resources that CloudFormation creates on AWS, unless they exist. Returns the functions' environment. */
export async function provision(fleet: readonly FleetMember[]): Promise<Record<string, string>> {
  const functions = functionArns(fleet);
  const [queues, storage] = await Promise.all([provisionQueues(fleet), provisionStorage()]);
  await provisionSchedules(fleet, functions);
  return { ...storage, SCHEDULE_GROUP: groupName, SCHEDULE_ROLE_ARN: roleArn, ...queues, ...functions };
}

/** The part of `provision` that, besides the table, stores the organization: files and secret. */
export async function provisionStorage(): Promise<Record<string, string>> {
  const [secretArn] = await Promise.all([provisionSecret(), provisionBucket()]);
  return { FILES_BUCKET: bucketName, SECRET_ARN: secretArn };
}

/** The ARNs of the functions of recurring work, by environment variable. */
const functionArns = (fleet: readonly FleetMember[]): Record<string, string> =>
  Object.fromEntries(
    fleet
      .filter(isRecurring)
      .map(({ name, spec }) => [
        functionArnVariable(spec.work),
        `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      ]),
  );

const bucketName = "skein-files";
const groupName = "skein";
const secretName = "skein";
const roleArn = "arn:aws:iam::000000000000:role/skein-schedules";
const scheduleDeadLetterQueue = "schedules-dead-letters";

async function provisionBucket() {
  const client = new S3Client({ forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucketName })).catch((error: Error) => {
    if (error.name !== "BucketAlreadyOwnedByYou" && error.name !== "BucketAlreadyExists") throw error;
  });
}

async function provisionSecret(): Promise<string> {
  const client = new SecretsManagerClient({});
  try {
    const { ARN } = await client.send(new DescribeSecretCommand({ SecretId: secretName }));
    return ARN as string;
  } catch (error) {
    if ((error as Error).name !== "ResourceNotFoundException") throw error;
    const SecretString = randomBytes(32).toString("base64");
    const { ARN } = await client.send(new CreateSecretCommand({ Name: secretName, SecretString }));
    return ARN as string;
  }
}

/** Creates a queue, or updates the attributes of an existing one. */
async function createQueue(client: SQSClient, QueueName: string, Attributes?: Record<string, string>) {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  if (Attributes) await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  const found = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
  return { url: QueueUrl as string, arn: found.Attributes?.QueueArn as string };
}

async function provisionQueues(fleet: readonly FleetMember[]): Promise<Record<string, string>> {
  const client = new SQSClient({});
  const queueEnvironments = await Promise.all(
    queuesOf(fleet).map(async ({ name, visibilitySeconds, attempts }) => {
      const deadLetters = await createQueue(client, `${name}-dead-letters`);
      const queue = await createQueue(client, name, {
        VisibilityTimeout: String(visibilitySeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: attempts }),
      });
      return { [queueUrlVariable(name)]: queue.url, [queueArnVariable(name)]: queue.arn };
    }),
  );
  const { arn } = await createQueue(client, scheduleDeadLetterQueue);
  return Object.assign({ SCHEDULE_DEAD_LETTER_ARN: arn }, ...queueEnvironments);
}

async function provisionSchedules(fleet: readonly FleetMember[], functions: Record<string, string>) {
  const client = new SchedulerClient({});
  const ignoreConflict = (error: unknown) => {
    if (!(error instanceof ConflictException)) throw error;
  };
  await client.send(new CreateScheduleGroupCommand({ Name: groupName })).catch(ignoreConflict);
  const services = configuredServices();
  const putSchedule = async (
    name: string,
    spec: Parameters<typeof isUnconfigured>[0],
    rate: string,
    Arn: string | undefined,
    Input: string,
  ) => {
    const schedule = {
      Name: `recurring-${name}`,
      GroupName: groupName,
      ScheduleExpression: `rate(${rate})`,
      State: isUnconfigured(spec, services) ? ("DISABLED" as const) : ("ENABLED" as const),
      FlexibleTimeWindow: { Mode: "OFF" as const },
      Target: { Arn, RoleArn: roleArn, Input },
    };
    await client.send(new CreateScheduleCommand(schedule)).catch(async (error: unknown) => {
      ignoreConflict(error);
      await client.send(new UpdateScheduleCommand(schedule));
    });
  };
  await Promise.all([
    ...fleet
      .filter(isRecurring)
      .map(({ spec }) =>
        putSchedule(spec.work, spec, spec.rate, functions[functionArnVariable(spec.work)], recurringInput),
      ),
  ]);
}
