import { describe, expect, test } from "vitest";
import { environmentFor, type SharedResources, statementsFor } from "../../../infra/aws/grants.ts";
import { environmentOf } from "../../../infra/deployment.ts";
import type { Uses } from "../../../shared/base/uses.ts";

const table = "arn:aws:dynamodb:us-east-1:1:table/T";
const shared: SharedResources = {
  tableName: "T",
  tableArn: table,
  queues: new Map([
    ["push-jobs", { url: "https://sqs/push-jobs", arn: "arn:aws:sqs:us-east-1:1:push-jobs" }],
    ["later-jobs", { url: "https://sqs/later-jobs", arn: "arn:aws:sqs:us-east-1:1:later-jobs" }],
  ]),
  scheduleGroup: "G",
  schedulesArns: ["arn:aws:scheduler:us-east-1:1:schedule/G/*"],
  scheduleRoleArn: "arn:aws:iam::1:role/R",
  scheduleDeadLetterArn: "arn:aws:sqs:us-east-1:1:dead",
  filesBucket: "B",
  filesArn: "arn:aws:s3:::B/*",
  filesBucketArn: "arn:aws:s3:::B",
  startedArns: new Map([["imports", "arn:aws:lambda:us-east-1:1:function:Skein-run-imports"]]),
  secretArn: "arn:aws:secretsmanager:us-east-1:1:secret:S",
  outgoingAllow: "10.0.0.0/8",
  pushBouncerUrl: "https://push.test",
  identityProviders: { json: "[…]", secretArns: ["arn:aws:secretsmanager:us-east-1:1:secret:acme"] },
  scimTokenArn: "arn:aws:secretsmanager:us-east-1:1:secret:scim",
  url: "https://chat.test",
  wakeUpQueues: { url: "https://sqs/Skein-wake-up-", arn: "arn:aws:sqs:us-east-1:1:Skein-wake-up-*" },
};

const grants = (uses: Uses) =>
  statementsFor(uses, shared)
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((resource) => `${action} ${resource}`)),
    )
    .sort();

const reads = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"].map((action) => `${action} ${table}`);
const indexReads = ["gsi1", "gsi2", "gsi3"].map((index) => `dynamodb:Query ${table}/index/${index}`);

describe("statementsFor", () => {
  test("grants nothing for an empty `uses`", () => {
    expect(grants({})).toEqual([]);
  });

  test("lets a reader of the table get and query it and its indexes, each by name", () => {
    expect(grants({ table: "read" })).toEqual([...reads, ...indexReads].sort());
  });

  test("lets a reader that counts requests add to counters of requests, and to nothing else", () => {
    const [statement, ...otherStatements] = statementsFor({ table: "read", countsRequests: true }, shared).filter(
      ({ actions }) => actions.includes("dynamodb:UpdateItem"),
    );

    expect(otherStatements).toEqual([]);
    expect(statement?.toStatementJson()).toEqual({
      Effect: "Allow",
      Action: "dynamodb:UpdateItem",
      Resource: table,
      Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["REQUESTS#*"] } },
    });
  });

  test("lets only the function that ends sign-ins read the secrets of identity providers, and nothing else", () => {
    expect(grants({ identityProviders: "list" })).toEqual([]);
    expect(grants({ identityProviders: "secrets" })).toEqual([
      "secretsmanager:GetSecretValue arn:aws:secretsmanager:us-east-1:1:secret:acme",
    ]);
    expect(environmentFor({ identityProviders: "list" }, shared)).toEqual({ SKEIN_OIDC: "[…]" });
  });

  test("lets only the SCIM endpoints know the SCIM client's token", () => {
    expect(grants({ scimToken: true })).toEqual([
      "secretsmanager:GetSecretValue arn:aws:secretsmanager:us-east-1:1:secret:scim",
    ]);
    expect(environmentFor({ scimToken: true }, shared)).toEqual({ SKEIN_SCIM_TOKEN_ARN: shared.scimTokenArn });
    expect(environmentFor({ table: "readWrite" }, shared)).not.toHaveProperty("SKEIN_SCIM_TOKEN_ARN");
  });

  test("adds writes of the table alone, never a scan", () => {
    const granted = grants({ table: "readWrite" });

    expect(granted).toEqual(expect.arrayContaining([...reads, `dynamodb:ConditionCheckItem ${table}`]));
    expect(granted.filter((grant) => grant.includes("Scan"))).toEqual([]);
    expect(granted.filter((grant) => grant.includes("/index/"))).toEqual(indexReads);
  });

  test("lets a sender send to the queues that it names and to no other", () => {
    expect(grants({ sends: ["push-jobs"] })).toEqual(["sqs:SendMessage arn:aws:sqs:us-east-1:1:push-jobs"]);
  });

  test("a function that creates, notifies or deletes wake-up queues may do only that, and gets their URL", () => {
    expect(grants({ wakeUpQueues: "create" })).toEqual(["sqs:CreateQueue arn:aws:sqs:us-east-1:1:Skein-wake-up-*"]);
    expect(grants({ wakeUpQueues: "notify" })).toEqual(["sqs:SendMessage arn:aws:sqs:us-east-1:1:Skein-wake-up-*"]);
    expect(grants({ wakeUpQueues: "delete" })).toEqual(["sqs:DeleteQueue arn:aws:sqs:us-east-1:1:Skein-wake-up-*"]);
    expect(environmentFor({ wakeUpQueues: "notify" }, shared)).toEqual({
      WAKE_UP_QUEUES_URL: "https://sqs/Skein-wake-up-",
    });
    const { wakeUpQueues, ...withoutWakeUpQueues } = shared;
    expect(statementsFor({ wakeUpQueues: "notify" }, withoutWakeUpQueues)).toEqual([]);
    expect(environmentFor({ wakeUpQueues: "notify" }, withoutWakeUpQueues)).toEqual({});
  });

  test("lets a worker that paces its retries change the visibility of its own jobs", () => {
    expect(grants({ postpones: ["push-jobs"] })).toEqual([
      "sqs:ChangeMessageVisibility arn:aws:sqs:us-east-1:1:push-jobs",
    ]);
    expect(environmentFor({ postpones: ["push-jobs"] }, shared)).toEqual({
      QUEUE_URL_PUSH_JOBS: "https://sqs/push-jobs",
    });
  });

  test("lets a function create schedules and pass them the one role, only to the scheduler service", () => {
    const statements = statementsFor({ schedules: ["later-jobs"] }, shared);

    expect(grants({ schedules: ["later-jobs"] })).toEqual([
      "iam:PassRole arn:aws:iam::1:role/R",
      "scheduler:CreateSchedule arn:aws:scheduler:us-east-1:1:schedule/G/*",
      "scheduler:DeleteSchedule arn:aws:scheduler:us-east-1:1:schedule/G/*",
      "scheduler:UpdateSchedule arn:aws:scheduler:us-east-1:1:schedule/G/*",
    ]);
    expect(statements.find(({ actions }) => actions.includes("iam:PassRole"))?.conditions).toEqual({
      StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" },
    });
  });

  test("lets a function start recurring work by schedules that it cannot change", () => {
    expect(grants({ starts: ["imports"] })).toEqual([
      "iam:PassRole arn:aws:iam::1:role/R",
      "scheduler:CreateSchedule arn:aws:scheduler:us-east-1:1:schedule/G/*",
    ]);
    expect(environmentFor({ starts: ["imports"] }, shared)).toMatchObject({
      FUNCTION_ARN_IMPORTS: "arn:aws:lambda:us-east-1:1:function:Skein-run-imports",
      SCHEDULE_ROLE_ARN: "arn:aws:iam::1:role/R",
    });
  });

  test("lets an import read the whole table, and list the bucket", () => {
    expect(grants({ readsWholeTable: true, listsFiles: true })).toEqual([
      `dynamodb:Scan ${table}`,
      "s3:ListBucket arn:aws:s3:::B",
    ]);
  });

  test("grants files and the secret each on its own resource", () => {
    expect(grants({ files: "read", secret: true })).toEqual([
      "s3:GetObject arn:aws:s3:::B/*",
      "secretsmanager:GetSecretValue arn:aws:secretsmanager:us-east-1:1:secret:S",
    ]);
  });

  test("throws for a queue that no worker declares", () => {
    expect(() => grants({ sends: ["no-jobs"] })).toThrow("No worker declares the queue no-jobs");
  });
});

describe("environmentFor", () => {
  test("has variables only for what the function uses", () => {
    expect(environmentFor({}, shared)).toEqual({});
    expect(environmentFor({ table: "read", sends: ["push-jobs"], secret: true }, shared)).toEqual({
      TABLE_NAME: "T",
      SKEIN_URL: "https://chat.test",
      QUEUE_URL_PUSH_JOBS: "https://sqs/push-jobs",
      SECRET_ARN: "arn:aws:secretsmanager:us-east-1:1:secret:S",
    });
    expect(environmentFor({ schedules: ["later-jobs"], files: "readWrite" }, shared)).toEqual({
      QUEUE_ARN_LATER_JOBS: "arn:aws:sqs:us-east-1:1:later-jobs",
      SCHEDULE_GROUP: "G",
      SCHEDULE_ROLE_ARN: "arn:aws:iam::1:role/R",
      SCHEDULE_DEAD_LETTER_ARN: "arn:aws:sqs:us-east-1:1:dead",
      FILES_BUCKET: "B",
    });
  });

  test("has the outgoing exceptions only for functions that send requests, and the fleet's URL only for those that write links", () => {
    expect(environmentFor({ outgoing: true }, shared)).toEqual({
      SKEIN_OUTGOING_ALLOW: "10.0.0.0/8",
      SKEIN_URL: "https://chat.test",
    });
    expect(environmentFor({ pushBouncer: true }, shared)).toEqual({
      SKEIN_PUSH_BOUNCER_URL: "https://push.test",
      SKEIN_URL: "https://chat.test",
    });
    const mail = { ...shared, email: { from: "skein@globe.test" } } as typeof shared;
    expect(environmentFor({ email: true }, mail)).toEqual({
      MAIL_FROM: "skein@globe.test",
      SKEIN_URL: "https://chat.test",
    });
    expect(environmentFor({ pushBouncer: true }, { ...shared, pushBouncerUrl: "" })).not.toHaveProperty(
      "SKEIN_PUSH_BOUNCER_URL",
    );
  });
});

test("commands of the operator get the variables of the functions from the stack's outputs", () => {
  expect(
    environmentOf({ Url: "https://chat.test", TableName: "T", QueueUrlPushJobs: "https://sqs/push-jobs" }),
  ).toEqual({
    SKEIN_URL: "https://chat.test",
    TABLE_NAME: "T",
    QUEUE_URL_PUSH_JOBS: "https://sqs/push-jobs",
  });
});
