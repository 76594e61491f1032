import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { tableShape } from "../../shared/base/table-port/table-shape.ts";
import { actionsOf, type Uses } from "../../shared/base/uses.ts";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { functionArnVariable } from "../../shared/services/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/services/jobs/schedules.ts";
import { requestCountsPrefix } from "../../shared/store/users/request-counts.ts";

/** Names and ARNs of the resources that functions share. */
export interface SharedResources {
  tableName: string;
  tableArn: string;
  queues: ReadonlyMap<string, { url: string; arn: string }>;
  /** For MiniStack, which requires sqs:SendMessageBatch where AWS requires sqs:SendMessage. */
  extraSendActions?: string[];
  scheduleGroup: string;
  /** All schedules of the group. Their names are only known at run time, so these end in "/*". */
  schedulesArns: string[];
  /** The ARNs of the functions of recurring work that other functions start, by work. */
  startedArns: ReadonlyMap<string, string>;
  scheduleRoleArn: string;
  scheduleDeadLetterArn: string;
  filesBucket: string;
  filesBucketArn: string;
  /** All objects of the bucket. Their names are only known at run time, so this ends in "/*". */
  filesArn: string;
  secretArn: string;
  /** The operator's own key, with which table, files, queues and secret are encrypted. */
  keyArn?: string;
  /** If clients wait at wake-up queues: the prefix of the queues' URLs, and an ARN pattern that matches all of them. */
  wakeUpQueues?: { url: string; arn: string };
  /** The address of the WebSocket API, and the ARNs of posting to its connections and ending them. */
  connections?: { url: string; arns: string[] };
  limitPresence?: boolean;
  /** For how many days the audit log keeps records, unless it is the default. */
  auditLogDays?: number;
  /** The feature level that clients are told, unless it is the default. */
  featureLevel?: number;
  /** How many requests an account may make, unless it is the default. */
  rateLimits?: string;
  /** The sender of e-mail; without it no function may send any. */
  email?: { from: string; identityArns: string[]; configurationSet?: string };
  /** The domain at which the fleet receives e-mail, and who judges the senders of what arrives there. */
  incomingMail?: { domain: string; verdictsBy: string };
  /** Private addresses that webhooks may call nevertheless. */
  outgoingAllow?: string;
  pushBouncerUrl?: string;
  /** The identity providers as a JSON list without secrets, and the ARNs of their clients' secrets. */
  identityProviders?: { json: string; secretArns: string[] } | undefined;
  /** The secret with the SCIM client's token. */
  scimTokenArn?: string;
  /** The API's base URL, without a path. */
  url?: string;
}

/** What everything that reads or writes encrypted data may do with the operator's own key. */
export const keyStatements = (keyArn: string | undefined): PolicyStatement[] =>
  keyArn ? [allow(["kms:Decrypt", "kms:GenerateDataKey"], [keyArn])] : [];

const allow = (actions: string[], resources: string[]) => new PolicyStatement({ actions, resources });

/** The IAM statements for a function's `uses`, each limited to the resources that `uses` names. */
export function statementsFor(uses: Uses, shared: SharedResources): PolicyStatement[] {
  const actions = actionsOf(uses);
  const arnOf = (name: string) => queueOf(shared, name).arn;
  const statements: PolicyStatement[] = [];
  if (actions.table.length > 0) {
    const indexes = tableShape.indexes.map(({ name }) => `${shared.tableArn}/index/${name}`);
    statements.push(allow(actions.table, [shared.tableArn]), allow(["dynamodb:Query"], indexes));
  }
  // Full write access to the table already includes the counters of requests.
  if (actions.requestCounts.length > 0 && uses.table === "read")
    statements.push(
      new PolicyStatement({
        actions: actions.requestCounts,
        resources: [shared.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${requestCountsPrefix}*`] } },
      }),
    );
  if (actions.queues.length > 0) {
    statements.push(allow([...actions.queues, ...(shared.extraSendActions ?? [])], (uses.sends ?? []).map(arnOf)));
  }
  if (actions.postponed.length > 0) statements.push(allow(actions.postponed, (uses.postpones ?? []).map(arnOf)));
  if (actions.schedules.length > 0) {
    statements.push(
      allow(actions.schedules, shared.schedulesArns),
      // A schedule runs with a role, which its creator must be allowed to pass to it.
      new PolicyStatement({
        actions: ["iam:PassRole"],
        resources: [shared.scheduleRoleArn],
        conditions: { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } },
      }),
    );
  }
  if (actions.wholeTable.length > 0) statements.push(allow(actions.wholeTable, [shared.tableArn]));
  if (actions.fileList.length > 0) statements.push(allow(actions.fileList, [shared.filesBucketArn]));
  if (actions.files.length > 0) statements.push(allow(actions.files, [shared.filesArn]));
  if (actions.secret.length > 0) statements.push(allow(actions.secret, [shared.secretArn]));
  const clientSecretArns = shared.identityProviders?.secretArns ?? [];
  if (actions.clientSecrets.length > 0 && clientSecretArns.length > 0)
    statements.push(allow(actions.clientSecrets, clientSecretArns));
  if (actions.scimToken.length > 0 && shared.scimTokenArn)
    statements.push(allow(actions.scimToken, [shared.scimTokenArn]));
  if (actions.wakeUpQueues.length > 0 && shared.wakeUpQueues)
    statements.push(allow(actions.wakeUpQueues, [shared.wakeUpQueues.arn]));
  if (actions.connections.length > 0 && shared.connections)
    statements.push(allow(actions.connections, shared.connections.arns));
  if (actions.email.length > 0 && shared.email) statements.push(allow(actions.email, shared.email.identityArns));
  return statements;
}

/** The environment variables of a function, only for the resources that its `uses` names. */
export function environmentFor(uses: Uses, shared: SharedResources): Record<string, string> {
  return {
    ...(uses.table && { TABLE_NAME: shared.tableName }),
    ...Object.fromEntries(
      [...(uses.sends ?? []), ...(uses.postpones ?? [])].map((name) => [
        queueUrlVariable(name),
        queueOf(shared, name).url,
      ]),
    ),
    ...Object.fromEntries((uses.schedules ?? []).map((name) => [queueArnVariable(name), queueOf(shared, name).arn])),
    ...Object.fromEntries(
      (uses.starts ?? []).map((work) => [functionArnVariable(work), shared.startedArns.get(work) ?? ""]),
    ),
    ...((uses.schedules?.length || uses.starts?.length) && {
      SCHEDULE_GROUP: shared.scheduleGroup,
      SCHEDULE_ROLE_ARN: shared.scheduleRoleArn,
      SCHEDULE_DEAD_LETTER_ARN: shared.scheduleDeadLetterArn,
    }),
    ...(uses.files && { FILES_BUCKET: shared.filesBucket }),
    ...((uses.email || uses.mailFrom) && shared.email && { MAIL_FROM: shared.email.from }),
    ...(uses.email && shared.email?.configurationSet && { MAIL_CONFIGURATION_SET: shared.email.configurationSet }),
    ...(uses.mailDomain &&
      shared.incomingMail && {
        MAIL_DOMAIN: shared.incomingMail.domain,
        MAIL_VERDICTS_BY: shared.incomingMail.verdictsBy,
      }),
    ...(uses.wakeUpQueues && shared.wakeUpQueues && { WAKE_UP_QUEUES_URL: shared.wakeUpQueues.url }),
    ...(uses.connections && shared.connections && { CONNECTIONS_URL: shared.connections.url }),
    ...(uses.countsRequests && shared.rateLimits && { SKEIN_RATE_LIMITS: shared.rateLimits }),
    ...(uses.table && shared.limitPresence && { SKEIN_LIMIT_PRESENCE: "true" }),
    ...(uses.table === "readWrite" && shared.auditLogDays && { SKEIN_AUDIT_LOG_DAYS: String(shared.auditLogDays) }),
    ...(uses.table && shared.featureLevel && { SKEIN_FEATURE_LEVEL: String(shared.featureLevel) }),
    ...(uses.secret && { SECRET_ARN: shared.secretArn }),
    ...(uses.outgoing && shared.outgoingAllow && { SKEIN_OUTGOING_ALLOW: shared.outgoingAllow }),
    ...(uses.pushBouncer && shared.pushBouncerUrl && { SKEIN_PUSH_BOUNCER_URL: shared.pushBouncerUrl }),
    ...(uses.identityProviders && shared.identityProviders && { SKEIN_OIDC: shared.identityProviders.json }),
    ...(uses.scimToken && shared.scimTokenArn && { SKEIN_SCIM_TOKEN_ARN: shared.scimTokenArn }),
    ...((uses.table || uses.outgoing || uses.pushBouncer || uses.email || uses.mailFrom) &&
      shared.url && { SKEIN_URL: shared.url }),
  };
}

function queueOf(shared: SharedResources, name: string) {
  const queue = shared.queues.get(name);
  if (!queue) throw new Error(`No worker declares the queue ${name}`);
  return queue;
}
