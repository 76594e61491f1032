/** What a function may touch beside its own log, and the AWS actions that follow from it. */

export interface Uses {
  /** The table: "read" is get and query, "readWrite" adds put, update, delete and transactions. */
  table?: "read" | "readWrite";
  /** Adding to the table's counters of requests: `endpoint` adds it. */
  countsRequests?: true;
  /** Queues, by name, that the function may send jobs to. */
  sends?: readonly string[];
  /** For what sweeps up after all others: `sends` are then the queues of all workers. */
  sendsToEveryQueue?: true;
  /** Queues, by name, that the function may have EventBridge Scheduler send jobs to at a later time. */
  schedules?: readonly string[];
  /** The bucket of files. */
  files?: "read" | "readWrite";
  /** The fleet's secret, from which API keys are derived. */
  secret?: true;
  /** Outgoing e-mail. */
  email?: true;
  /** The function is told where e-mail is from, if any is sent, without sending it itself. */
  mailFrom?: true;
  /** Queues, by name, whose jobs the function may have come back at a time of its choice; `worker` adds its own. */
  postpones?: readonly string[];
  /** Requests to addresses that users choose (`shared/outgoing-webhooks`): the function is told what it may reach. */
  outgoing?: true;
  /** Wake-up queues, where the fleet has them: the one act that the function may do to them. */
  wakeUpQueues?: "create" | "notify" | "delete";
  /** Requests to the push bouncer: the function is told its address. */
  pushBouncer?: true;
  /** Files, by name, that the build makes of the whole fleet and puts beside the function's code (`infra/built.ts`). */
  built?: readonly BuiltName[];
}

/** What the build can make of the fleet. */
export type BuiltName =
  | "openapi.json"
  | "routes.json"
  | "web-client.json"
  | "page.html"
  | "reference.html"
  | "reference.js"
  | "reference.css"
  | "zulip.png"
  | "loader-black.svg";

const tableReads = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
const tableWrites = [
  "dynamodb:PutItem",
  "dynamodb:UpdateItem",
  "dynamodb:DeleteItem",
  "dynamodb:BatchWriteItem",
  "dynamodb:ConditionCheckItem",
];
const wakeUpQueueActions = { create: "sqs:CreateQueue", notify: "sqs:SendMessage", delete: "sqs:DeleteQueue" };
const fileReads = ["s3:GetObject"];
const fileWrites = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"];

/** The IAM actions that a declaration grants, by the kind of resource that they are granted on. */
export function actionsOf(uses: Uses) {
  return {
    table: uses.table === undefined ? [] : uses.table === "read" ? tableReads : [...tableReads, ...tableWrites],
    requestCounts: uses.countsRequests ? ["dynamodb:UpdateItem"] : [],
    queues: uses.sends?.length ? ["sqs:SendMessage"] : [],
    postponed: uses.postpones?.length ? ["sqs:ChangeMessageVisibility"] : [],
    schedules: uses.schedules?.length
      ? ["scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"]
      : [],
    files: uses.files === undefined ? [] : uses.files === "read" ? fileReads : [...fileReads, ...fileWrites],
    secret: uses.secret ? ["secretsmanager:GetSecretValue"] : [],
    wakeUpQueues: uses.wakeUpQueues ? [wakeUpQueueActions[uses.wakeUpQueues]] : [],
    email: uses.email ? ["ses:SendEmail"] : [],
  };
}
