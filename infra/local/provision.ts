import { randomBytes } from "node:crypto";
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import {
  ConflictException,
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { CreateSecretCommand, DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { queueUrlVariable } from "../../shared/jobs/queues.ts";
import { queueArnVariable } from "../../shared/jobs/schedules.ts";
import type { Worker } from "../fleet.ts";
import { tableShape } from "../table-shape.ts";

/** Makes what CloudFormation makes on AWS; all of it may be there already. Returns the functions' environment. */
export async function provision(workers: readonly Worker[]): Promise<Record<string, string>> {
  const [queues, secretArn] = await Promise.all([
    provisionQueues(workers),
    provisionSecret(),
    provisionTable(),
    provisionBucket(),
  ]);
  await provisionSchedules(workers, queues);
  return {
    TABLE_NAME: tableName,
    FILES_BUCKET: bucket,
    SCHEDULE_GROUP: group,
    SCHEDULE_ROLE_ARN: roleArn,
    SECRET_ARN: secretArn,
    ...queues,
  };
}

const tableName = "skein";
const bucket = "skein-files";
const group = "skein";
const secret = "skein";
const roleArn = "arn:aws:iam::000000000000:role/skein-schedules";
const scheduleDeadLetters = "schedules-dead-letters";

async function provisionTable() {
  const client = new DynamoDBClient({});
  await client.send(new CreateTableCommand({ TableName: tableName, ...tableShape })).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
}

async function provisionBucket() {
  const client = new S3Client({ forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: Error) => {
    if (error.name !== "BucketAlreadyOwnedByYou" && error.name !== "BucketAlreadyExists") throw error;
  });
}

async function provisionSecret(): Promise<string> {
  const client = new SecretsManagerClient({});
  try {
    const { ARN } = await client.send(new DescribeSecretCommand({ SecretId: secret }));
    return ARN as string;
  } catch (error) {
    if ((error as Error).name !== "ResourceNotFoundException") throw error;
    const SecretString = randomBytes(32).toString("base64");
    const { ARN } = await client.send(new CreateSecretCommand({ Name: secret, SecretString }));
    return ARN as string;
  }
}

async function createQueue(client: SQSClient, QueueName: string, Attributes: Record<string, string> = {}) {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  const found = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
  return { url: QueueUrl as string, arn: found.Attributes?.QueueArn as string };
}

/** The visibility timeout of a worker's queue in seconds: six of the function's limits, as AWS advises. */
export const visibilityOf = ({ spec }: Worker) => 6 * (spec.timeoutSeconds ?? 30);

async function provisionQueues(workers: readonly Worker[]): Promise<Record<string, string>> {
  const client = new SQSClient({});
  const made = await Promise.all(
    workers.map(async (member) => {
      const name = member.spec.job.queue;
      const deadLetters = await createQueue(client, `${name}-dead-letters`);
      const queue = await createQueue(client, name, {
        VisibilityTimeout: String(visibilityOf(member)),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount: member.spec.attempts }),
      });
      return { [queueUrlVariable(name)]: queue.url, [queueArnVariable(name)]: queue.arn };
    }),
  );
  const { arn } = await createQueue(client, scheduleDeadLetters);
  return Object.assign({ SCHEDULE_DEAD_LETTER_ARN: arn }, ...made);
}

async function provisionSchedules(workers: readonly Worker[], queues: Record<string, string>) {
  const client = new SchedulerClient({});
  const ignoreConflict = (error: unknown) => {
    if (!(error instanceof ConflictException)) throw error;
  };
  await client.send(new CreateScheduleGroupCommand({ Name: group })).catch(ignoreConflict);
  await Promise.all(
    workers.map(async ({ spec }) => {
      if (!spec.recurring) return;
      const schedule = {
        Name: `recurring-${spec.job.queue}`,
        GroupName: group,
        ScheduleExpression: `rate(${spec.recurring.rate})`,
        FlexibleTimeWindow: { Mode: "OFF" as const },
        Target: {
          Arn: queues[queueArnVariable(spec.job.queue)],
          RoleArn: roleArn,
          Input: JSON.stringify(spec.recurring.body),
        },
      };
      await client.send(new CreateScheduleCommand(schedule)).catch(async (error: unknown) => {
        ignoreConflict(error);
        await client.send(new UpdateScheduleCommand(schedule));
      });
    }),
  );
}
