import { AsyncLocalStorage } from "node:async_hooks";
import { type AwsCall, observeAwsCalls } from "../../shared/aws.ts";
import { bellsUrl } from "../../shared/settings.ts";
import { actionsOf, type Uses } from "../../shared/uses.ts";

/** Holds each running function to its declaration, as IAM does on AWS. */

interface Running {
  name: string;
  uses: Uses;
}

const running = new AsyncLocalStorage<Running>();

/** Runs a function's handler; calls that its `uses` do not allow fail as they would on AWS. */
export const runGuarded = <T>(name: string, uses: Uses, work: () => Promise<T>): Promise<T> =>
  running.run({ name, uses }, work);

/** From now on AWS calls made while a function runs are checked against its `uses`. Other code is not concerned. */
export function guardAwsCalls(): void {
  observeAwsCalls(async (call, proceed) => {
    const current = running.getStore();
    const refused =
      current && (actionsIn(call).find((action) => !allows(current.uses, action)) ?? queueRefused(current.uses, call));
    if (refused) {
      const error = new Error(`${current.name} is not authorized to perform ${refused}: its uses do not name it`);
      throw Object.assign(error, { name: "AccessDeniedException" });
    }
    return proceed();
  });
}

const services: Record<string, string> = {
  DynamoDBClient: "dynamodb",
  SQSClient: "sqs",
  SchedulerClient: "scheduler",
  S3Client: "s3",
  SecretsManagerClient: "secretsmanager",
  SESv2Client: "ses",
  SNSClient: "sns",
};

/** The IAM actions behind a call; a transaction needs those of its parts. */
function actionsIn({ client, command, input }: AwsCall): string[] {
  const service = services[client] ?? client;
  if (command === "TransactWriteItemsCommand" || command === "TransactWriteCommand") {
    const parts = (input.TransactItems ?? []) as Record<string, unknown>[];
    const names: Record<string, string> = { ConditionCheck: "ConditionCheckItem" };
    return parts.flatMap((part) => Object.keys(part).map((kind) => `dynamodb:${names[kind] ?? `${kind}Item`}`));
  }
  const action = command.replace(/Command$/, "");
  if (service === "sqs") return [`sqs:${action.replace(/Batch$/, "")}`];
  const documents: Record<string, string> = {
    Get: "GetItem",
    BatchGet: "BatchGetItem",
    Update: "UpdateItem",
    Put: "PutItem",
    Delete: "DeleteItem",
    BatchWrite: "BatchWriteItem",
  };
  // To know of an object is to read it.
  if (command === "HeadObjectCommand") return ["s3:GetObject"];
  // To write a file in parts is to write it.
  if (["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"].includes(action)) return ["s3:PutObject"];
  return [`${service}:${service === "dynamodb" ? (documents[action] ?? action) : action}`];
}

/** The queue that a call is for, as `action on queue`, when the declaration names others but not this one. */
function queueRefused(uses: Uses, { command, input }: AwsCall): string | undefined {
  if (command === "SendMessageCommand" && isBell(String(input.QueueUrl)))
    return uses.bells === "ring" ? undefined : "SendMessage on bells";
  const { Arn } = (input.Target ?? {}) as { Arn?: string };
  const [named, queue] =
    command === "CreateScheduleCommand"
      ? [uses.schedules, Arn?.split(":").at(-1)]
      : command === "ChangeMessageVisibilityCommand"
        ? [uses.postpones, queueIn(input)]
        : command.startsWith("SendMessage")
          ? [uses.sends, queueIn(input)]
          : [];
  return queue === undefined || named?.includes(queue) ? undefined : `${command.replace(/Command$/, "")} on ${queue}`;
}

function isBell(queueUrl: string): boolean {
  const bells = bellsUrl();
  return bells !== undefined && queueUrl.startsWith(bells);
}

const queueIn = (input: Record<string, unknown>) => String(input.QueueUrl).split("/").at(-1);

function allows(uses: Uses, action: string): boolean {
  return Object.values(actionsOf(uses)).some((actions) => actions.includes(action));
}
