import { CfnOutput, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { ManagedPolicy, PermissionsBoundary } from "aws-cdk-lib/aws-iam";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { defaultAuditLogDays, defaultRateLimits, featureLevel } from "../../shared/base/limits.ts";
import { stopMailsJob } from "../../shared/features/settings/jobs.ts";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import type { FleetMember } from "../fleet.ts";
import { Alarms, fleetAlarms } from "./alarms.ts";
import { type FleetApi, fleetApi } from "./api.ts";
import { acknowledgeFindings } from "./cdk-nag-findings.ts";
import { type ConnectionsApi, connectionsApi } from "./connections.ts";
import { fleetDashboard } from "./dashboard.ts";
import type { SharedResources } from "./grants.ts";
import { DeadLetterQueue, type JobQueue, jobQueues } from "./job-queues.ts";
import { logGroup, savedQueries } from "./logs.ts";
import { mailFeedback } from "./mail/feedback.ts";
import { Schedules } from "./schedules.ts";
import { type DeploySettings, fleetDescription } from "./settings.ts";
import { fleetBucket, fleetKey, fleetSecretArn, fleetTable } from "./stores.ts";

/** What the functions share: the table, queues, schedules, files, the secret, the API, and their monitoring. */
export class CoreStack extends Stack {
  /** The ID of the HTTP API. */
  readonly apiId: string;
  readonly connections: ConnectionsApi;
  readonly queues: ReadonlyMap<string, JobQueue>;
  readonly schedules: Schedules;
  readonly shared: SharedResources;
  /** The ARN of the table's stream. */
  readonly streamArn: string;
  readonly alarms: Alarms;
  /** The log group of all functions. */
  readonly logs: ILogGroup;

  constructor(scope: Construct, fleet: readonly FleetMember[], settings: DeploySettings, props: StackProps = {}) {
    const { tags, terminationProtection, permissionsBoundary } = settings;
    super(scope, settings.name, { description: fleetDescription, tags, terminationProtection, ...props });
    if (permissionsBoundary)
      PermissionsBoundary.of(this).apply(
        ManagedPolicy.fromManagedPolicyArn(this, "Permissions-boundary", permissionsBoundary),
      );
    const key = fleetKey(this, settings);
    const table = fleetTable(this, settings, key);
    if (!table.tableStreamArn) throw new Error("The table has no stream");
    this.streamArn = table.tableStreamArn;
    const bucket = fleetBucket(this, settings, key);
    const alarms = new Alarms(this, settings.alarmsTo);
    this.alarms = alarms;
    this.logs = logGroup(this, "Function-logs", settings);
    savedQueries(this, [this.logs], settings);
    const deadLetters = new DeadLetterQueue(this, "Given-up", settings, alarms, key);
    this.queues = jobQueues(this, fleet, settings, deadLetters, key);
    this.schedules = new Schedules(this, fleet, this.queues, settings, alarms, key);
    const wakeUpQueues = settings.waiting === "wake-up-queue" ? this.#wakeUpQueues(settings) : undefined;
    const httpApi = fleetApi(this, fleet, settings, wakeUpQueues);
    this.apiId = httpApi.apiId;
    this.connections = connectionsApi(this, settings);
    this.shared = {
      tableName: table.tableName,
      tableArn: table.tableArn,
      queues: new Map(
        [...this.queues].map(([name, { queue }]) => [name, { url: queue.queueUrl, arn: queue.queueArn }]),
      ),
      // MiniStack requires an action for batches that AWS does not have.
      ...(settings.emulator && { extraSendActions: ["sqs:SendMessageBatch"] }),
      scheduleGroup: this.schedules.groupName,
      schedulesArns: this.schedules.schedulesArns,
      startedArns: this.schedules.startedArns,
      scheduleRoleArn: this.schedules.role.roleArn,
      scheduleDeadLetterArn: this.schedules.deadLetters.queueArn,
      filesBucket: bucket.bucketName,
      filesArn: bucket.arnForObjects("*"),
      filesBucketArn: bucket.bucketArn,
      secretArn: fleetSecretArn(this, settings, key),
      ...(key && { keyArn: key.keyArn }),
      outgoingAllow: settings.outgoingAllow,
      pushBouncerUrl: settings.pushBouncerUrl,
      ...(settings.identityProviders.length > 0 && {
        identityProviders: {
          json: JSON.stringify(settings.identityProviders),
          secretArns: settings.identityProviders.flatMap(({ client_secret_arn }) => client_secret_arn ?? []),
        },
      }),
      ...(settings.scimTokenArn && { scimTokenArn: settings.scimTokenArn }),
      ...(wakeUpQueues && { wakeUpQueues }),
      connections: { url: this.connections.url, arns: this.connections.arns },
      limitPresence: settings.limitPresence,
      ...(settings.auditLogDays !== defaultAuditLogDays && { auditLogDays: settings.auditLogDays }),
      ...(settings.featureLevel !== featureLevel && { featureLevel: settings.featureLevel }),
      ...(settings.rateLimits !== defaultRateLimits && { rateLimits: settings.rateLimits }),
      ...(settings.mailFrom && { email: this.#email(settings) }),
      ...(settings.mailDomain && { incomingMail: { domain: settings.mailDomain, verdictsBy: "amazonses.com" } }),
      url: httpApi.url,
    };
    const monitored = { fleet: settings.name, apiId: this.apiId };
    fleetAlarms(alarms, { ...monitored, connectionsApiId: this.connections.api.apiId }, settings);
    if (settings.dashboard)
      fleetDashboard(this, {
        ...monitored,
        table,
        scheduleGroup: this.schedules.groupName,
        queues: this.queues,
        deadLetters: { jobs: deadLetters, schedules: this.schedules.deadLetters },
      });
    acknowledgeFindings(this, {
      bucket,
      schedulesArns: this.schedules.schedulesArns,
      connections: this.connections,
      wakeUpQueuesArn: this.shared.wakeUpQueues?.arn,
      settings,
    });
    this.#outputs(httpApi, settings);
  }

  /** Adds a stack output from which operators' commands fill this environment variable. */
  outputVariable(variable: string, value: string): void {
    new CfnOutput(this, outputName(variable), { value });
  }

  /**
   * Wake-up queues are created when clients register: a template knows only the prefix of their names. Their URLs begin like
   * those of the stack's own queues, which differ between AWS's partitions and in emulators.
   */
  #wakeUpQueues({ name }: DeploySettings) {
    // An SQS queue's name has at most 80 characters: 34 of the fleet's name, 9 of "-wake-up-", and the 36 of an event queue's ID.
    const resource = `${name.slice(0, 34)}-wake-up-`;
    return {
      url: [
        ...[0, 1, 2, 3].map((part) => Fn.select(part, Fn.split("/", this.schedules.deadLetters.queueUrl))),
        resource,
      ].join("/"),
      arn: this.formatArn({ service: "sqs", resource: `${resource}*` }),
    };
  }

  /** Has SES report returned mails, and allows sending with both identities of `mailFrom`: SES has verified either the address or its whole domain. */
  #email({ name, mailFrom: from, emulator }: DeploySettings) {
    const identity = (resourceName: string) => this.formatArn({ service: "ses", resource: "identity", resourceName });
    // MiniStack does not evaluate the identity that a mail is sent from.
    const anyIdentity = emulator ? ["*"] : [];
    const identityArns = [identity(from), identity(from.split("@")[1] ?? ""), ...anyIdentity];
    const queue = this.queues.get(stopMailsJob.queue)?.queue;
    // A fleet of a few functions has no such worker, and emulators report nothing.
    if (!queue || emulator) return { from, identityArns };
    const configurationSet = mailFeedback(this, queue, this.schedules.deadLetters, name);
    const resource = { service: "ses", resource: "configuration-set", resourceName: configurationSet };
    return { from, identityArns: [...identityArns, this.formatArn(resource)], configurationSet };
  }

  #outputs({ url, domainTarget }: FleetApi, { drill }: DeploySettings) {
    const { shared } = this;
    const outputs: Record<string, string> = {
      // The output from which operators' commands fill the environment variable WAKE_UP_QUEUES_URL.
      ...(shared.wakeUpQueues && { WakeUpQueuesUrl: shared.wakeUpQueues.url }),
      ConnectionsUrl: this.connections.url,
      TableStreamArn: this.streamArn,
      Url: url,
      ApiId: this.apiId,
      LogGroup: this.logs.logGroupName,
      TableName: shared.tableName,
      FilesBucket: shared.filesBucket,
      SecretArn: shared.secretArn,
      ScheduleGroup: shared.scheduleGroup,
      ScheduleRoleArn: shared.scheduleRoleArn,
      ScheduleDeadLetterArn: shared.scheduleDeadLetterArn,
      ScheduleDeadLetterUrl: this.schedules.deadLetters.queueUrl,
      ...(domainTarget && { DomainTarget: domainTarget }),
      ...(drill && { Drill: "true" }),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    for (const [name, { url }] of shared.queues) this.outputVariable(queueUrlVariable(name), url);
  }
}

/** Outputs have no underscores: "QUEUE_URL_PUSH_JOBS" -> "QueueUrlPushJobs". */
const outputName = (variable: string) =>
  variable.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
