/** The resources that a function may use besides its own log group, and the AWS actions that follow from them. */

export interface Uses {
  /** The table: "read" is get and query, "readWrite" adds put, update, delete and transactions. */
  table?: "read" | "readWrite";
  /** Permission to increment the table's request counters; `endpoint` adds it. */
  countsRequests?: true;
  /** Names of queues to which the function may send jobs. */
  sends?: readonly string[];
  /** For sweeps of jobs of all kinds: `sends` then lists the queues of all workers. */
  sendsToEveryQueue?: true;
  /** Names of queues for which the function may schedule jobs with EventBridge Scheduler. */
  schedules?: readonly string[];
  /** Names of recurring work that the function may start besides its schedule. */
  starts?: readonly string[];
  /** Reading the whole table, and listing the bucket of files: for imports, which replace both. */
  readsWholeTable?: true;
  listsFiles?: true;
  /** The bucket of files. */
  files?: "read" | "readWrite";
  /** The fleet's secret, from which API keys are derived. */
  secret?: true;
  /** Sending e-mail through Amazon SES. */
  email?: true;
  /** The function gets the sender address, if any, without permission to send e-mail itself. */
  mailFrom?: true;
  /** The function gets the domain at which the fleet receives e-mail, if any, and who judges the senders. */
  mailDomain?: true;
  /** Names of queues whose jobs the function may postpone; `worker` adds its own. */
  postpones?: readonly string[];
  /**
   * Requests to URLs that users choose (`shared/messaging/outgoing-webhooks`): the function gets the list of allowed private
   * addresses.
   */
  outgoing?: true;
  /** Wake-up queues, in fleets that have them: the one action that the function may perform on them; "test" is all three. */
  wakeUpQueues?: "create" | "notify" | "delete" | "test";
  /**
   * The fleet's WebSocket API: "address" is to know its address, "manage" is also to post to its connections and to end them.
   */
  connections?: "address" | "manage";
  /** Requests to the push bouncer: the function gets its URL. */
  pushBouncer?: true;
  /**
   * The identity providers by which people sign in: "list" is what anyone may know of them, "secrets" adds permission to read
   * their clients' secrets.
   */
  identityProviders?: "list" | "secrets";
  /** The SCIM client's token; `endpoint` adds it for the caller "scim". */
  scimToken?: true;
  /** Names of generated files that the build adds to the function's bundle (`infra/build/built.ts`). */
  built?: readonly BuiltName[];
}

/** The files that the build can generate. */
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
const wakeUpQueueActions = {
  create: ["sqs:CreateQueue"],
  notify: ["sqs:SendMessage"],
  delete: ["sqs:DeleteQueue"],
  test: ["sqs:CreateQueue", "sqs:SendMessage", "sqs:DeleteQueue"],
};
const fileReads = ["s3:GetObject"];
const fileWrites = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"];

/** The IAM actions that a declaration grants, by kind of resource. */
export function actionsOf(uses: Uses) {
  return {
    table: uses.table === undefined ? [] : uses.table === "read" ? tableReads : [...tableReads, ...tableWrites],
    requestCounts: uses.countsRequests ? ["dynamodb:UpdateItem"] : [],
    queues: uses.sends?.length ? ["sqs:SendMessage"] : [],
    postponed: uses.postpones?.length ? ["sqs:ChangeMessageVisibility"] : [],
    wholeTable: uses.readsWholeTable ? ["dynamodb:Scan"] : [],
    fileList: uses.listsFiles ? ["s3:ListBucket"] : [],
    schedules: uses.schedules?.length
      ? ["scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"]
      : uses.starts?.length
        ? ["scheduler:CreateSchedule"]
        : [],
    files: uses.files === undefined ? [] : uses.files === "read" ? fileReads : [...fileReads, ...fileWrites],
    secret: uses.secret ? ["secretsmanager:GetSecretValue"] : [],
    clientSecrets: uses.identityProviders === "secrets" ? ["secretsmanager:GetSecretValue"] : [],
    scimToken: uses.scimToken ? ["secretsmanager:GetSecretValue"] : [],
    wakeUpQueues: uses.wakeUpQueues ? wakeUpQueueActions[uses.wakeUpQueues] : [],
    connections: uses.connections === "manage" ? ["execute-api:ManageConnections"] : [],
    email: uses.email ? ["ses:SendEmail"] : [],
  };
}
