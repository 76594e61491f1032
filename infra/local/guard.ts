import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import type { AwsCall } from "../../shared/base/aws-calls.ts";
import { wakeUpQueuesUrl } from "../../shared/base/environment.ts";
import { observeTableCalls, type TableCall } from "../../shared/base/table-port/observe.ts";
import { actionsOf, type Uses } from "../../shared/base/uses.ts";
import { functionArnVariable } from "../../shared/services/jobs/recurring.ts";
import { requestCountsPrefix } from "../../shared/store/users/request-counts.ts";

/** Limits each running function to its declared `uses`, as IAM does on AWS. */

interface RunningFunction {
  name: string;
  uses: Uses;
}

const running = new AsyncLocalStorage<RunningFunction>();

/** Runs a function's handler; calls that its `uses` do not allow fail as they would on AWS. */
export const runGuarded = <T>(name: string, uses: Uses, work: () => Promise<T>): Promise<T> =>
  running.run({ name, uses }, work);

/** The name of the function that runs; undefined in the host's own work. */
export const runningFunctionName = (): string | undefined => running.getStore()?.name;

/** From now on checks calls that a function makes against its `uses`. Calls of other code are not checked. */
export function guardCalls(): void {
  observeTableCalls(async (call, proceed) => {
    refuseActions(({ uses }) =>
      countsRequests(uses, call) ? undefined : tableActionsIn(call).find((action) => !allows(uses, action)),
    );
    return proceed();
  });
  observeAwsCalls(async (call, proceed) => {
    refuseActions(
      ({ uses }) => actionsIn(call).find((action) => !allows(uses, action)) ?? refusedQueueAction(uses, call),
    );
    return proceed();
  });
}

function refuseActions(refusedIn: (current: RunningFunction) => string | undefined): void {
  const current = running.getStore();
  const refusedAction = current && refusedIn(current);
  if (!refusedAction) return;
  const error = new Error(`${current.name} is not authorized to perform ${refusedAction}: its uses do not name it`);
  throw Object.assign(error, { name: "AccessDeniedException" });
}

/** The IAM actions of the table's calls. */
const tableActions = {
  get: "GetItem",
  batchGet: "BatchGetItem",
  query: "Query",
  put: "PutItem",
  update: "UpdateItem",
  delete: "DeleteItem",
  check: "ConditionCheckItem",
  batchWrite: "BatchWriteItem",
} as const;

/** The IAM actions that a call to the table needs; a transaction needs those of its parts. */
function tableActionsIn({ name, request }: TableCall): string[] {
  const names = name === "transact" ? request.writes.map(({ kind }) => kind) : [name];
  return names.map((part) => `dynamodb:${tableActions[part]}`);
}

const services: Record<string, string> = {
  SQSClient: "sqs",
  SchedulerClient: "scheduler",
  S3Client: "s3",
  SecretsManagerClient: "secretsmanager",
  SESv2Client: "ses",
  SNSClient: "sns",
  ApiGatewayManagementApiClient: "execute-api",
};

/** The IAM actions that a call of AWS needs. */
function actionsIn({ client, command }: AwsCall): string[] {
  const service = services[client] ?? client;
  const action = command.replace(/Command$/, "");
  if (service === "sqs") return [`sqs:${action.replace(/Batch$/, "")}`];
  if (service === "execute-api") return ["execute-api:ManageConnections"];
  // IAM has no action for HeadObject, which needs s3:GetObject.
  if (command === "HeadObjectCommand") return ["s3:GetObject"];
  if (action === "ListObjectsV2") return ["s3:ListBucket"];
  // IAM has no actions for the steps of a multipart upload, which need s3:PutObject.
  if (["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"].includes(action)) return ["s3:PutObject"];
  return [`${service}:${action}`];
}

/** "action on queue", if the call is for a queue that the declaration does not name. */
function refusedQueueAction(uses: Uses, { command, input }: AwsCall): string | undefined {
  if (command === "SendMessageCommand" && isWakeUpQueue(String(input.QueueUrl)))
    return actionsOf(uses).wakeUpQueues.includes("sqs:SendMessage") ? undefined : "SendMessage to wake-up queues";
  const { Arn } = (input.Target ?? {}) as { Arn?: string };
  const [declaredQueues, queue] =
    command === "CreateScheduleCommand"
      ? Arn?.split(":")[2] === "lambda"
        ? [uses.starts?.map((work) => process.env[functionArnVariable(work)]), Arn]
        : [uses.schedules, Arn?.split(":").at(-1)]
      : command === "ChangeMessageVisibilityCommand"
        ? [uses.postpones, queueNameIn(input)]
        : command.startsWith("SendMessage")
          ? [uses.sends, queueNameIn(input)]
          : [];
  return queue === undefined || declaredQueues?.includes(queue)
    ? undefined
    : `${command.replace(/Command$/, "")} on ${queue}`;
}

function isWakeUpQueue(queueUrl: string): boolean {
  const prefix = wakeUpQueuesUrl();
  return prefix !== undefined && queueUrl.startsWith(prefix);
}

const queueNameIn = (input: Record<string, unknown>) => String(input.QueueUrl).split("/").at(-1);

const allowedActions = new WeakMap<Uses, ReadonlySet<string>>();

function allows(uses: Uses, action: string): boolean {
  let allowed = allowedActions.get(uses);
  if (!allowed) {
    // The grant for counters of requests covers nothing else; see countsRequests.
    const { requestCounts: _, ...granted } = actionsOf(uses);
    allowed = new Set(Object.values(granted).flat());
    allowedActions.set(uses, allowed);
  }
  return allowed.has(action);
}

/** Whether a call updates a counter of requests, which functions with read-only access to the table may do too. */
const countsRequests = (uses: Uses, { name, request }: TableCall): boolean =>
  uses.countsRequests === true && name === "update" && request.key.pk.startsWith(requestCountsPrefix);
