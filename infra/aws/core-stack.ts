import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { type CfnSecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { queueUrlVariable } from "../../shared/jobs/queues.ts";
import type { Member } from "../fleet.ts";
import { tableShape } from "../table-shape.ts";
import type { SharedResources } from "./grants.ts";
import { type JobQueue, jobQueues } from "./job-queues.ts";
import { Schedules } from "./schedules.ts";
import type { DeploySettings } from "./settings.ts";

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/** What the functions share: the table, queues, schedules, files, the secret and the API. */
export class CoreStack extends Stack {
  readonly api: HttpApi;
  readonly queues: ReadonlyMap<string, JobQueue>;
  readonly schedules: Schedules;
  readonly shared: SharedResources;
  /** Of the table's stream; undefined where clients do not wait at bells. */
  readonly streamArn: string | undefined;

  constructor(scope: Construct, fleet: readonly Member[], settings: DeploySettings, props: StackProps = {}) {
    super(scope, settings.name, { description: "Skein, a team chat server", ...props });
    const table = this.#table(settings);
    this.streamArn = table.tableStreamArn;
    const bucket = this.#bucket(settings);
    const secret = new Secret(this, "Secret", {
      description:
        "From this the fleet derives API keys; with another one, keys can be regenerated but no more be told",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: settings.removalPolicy,
    });
    this.queues = jobQueues(this, fleet);
    this.schedules = new Schedules(this, fleet, this.queues, settings);
    this.api = new HttpApi(this, "Api", { apiName: settings.name, createDefaultStage: true });
    this.shared = {
      tableName: table.tableName,
      tableArn: table.tableArn,
      queues: new Map(
        [...this.queues].map(([name, { queue }]) => [name, { url: queue.queueUrl, arn: queue.queueArn }]),
      ),
      ...(settings.miniStack && { moreSendActions: ["sqs:SendMessageBatch"] }),
      scheduleGroup: this.schedules.groupName,
      schedulesArns: this.schedules.schedulesArns,
      scheduleRoleArn: this.schedules.role.roleArn,
      scheduleDeadLetterArn: this.schedules.deadLetters.queueArn,
      filesBucket: bucket.bucketName,
      filesArn: bucket.arnForObjects("*"),
      // The same as secret.secretArn on AWS; MiniStack answers that one with the secret's name.
      secretArn: (secret.node.defaultChild as CfnSecret).attrId,
      outgoingAllow: settings.outgoingAllow,
      pushBouncerUrl: settings.pushBouncerUrl,
      ...(settings.waiting === "bell" && { bells: this.#bells(settings) }),
      limitPresence: settings.limitPresence,
      ...(settings.mailFrom && { email: this.#email(settings) }),
      url: this.api.apiEndpoint,
    };
    this.#outputs();
  }

  /** Bells are made when clients register: all that is known of them here is how their names begin. */
  #bells({ name }: DeploySettings) {
    // Names of SQS queues have 80 characters, and the ID of an event queue has 36 of them.
    const resource = `${name.slice(0, 37)}-bell-`;
    return {
      url: `https://sqs.${this.region}.${this.urlSuffix}/${this.account}/${resource}`,
      arn: this.formatArn({ service: "sqs", resource: `${resource}*` }),
    };
  }

  /** The operator verifies an address or its whole domain with SES; which of the two, SES alone knows. */
  #email({ mailFrom: from, miniStack }: DeploySettings) {
    const identity = (resourceName: string) => this.formatArn({ service: "ses", resource: "identity", resourceName });
    // MiniStack does not see which identity a mail is from.
    const any = miniStack ? ["*"] : [];
    return { from, identityArns: [identity(from), identity(from.split("@")[1] ?? ""), ...any] };
  }

  #table({ removalPolicy, waiting }: DeploySettings) {
    return new TableV2(this, "Table", {
      partitionKey: stringKey(tableShape.partitionKey),
      sortKey: stringKey(tableShape.sortKey),
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: tableShape.timeToLiveAttribute,
      // Whoever rings bells follows it; nothing is paid for a stream that nobody reads.
      ...(waiting === "bell" && { dynamoStream: StreamViewType.NEW_IMAGE }),
      deletionProtection: removalPolicy !== "destroy",
      removalPolicy,
      globalSecondaryIndexes: tableShape.indexes.map(({ name, partitionKey, sortKey, projection }) => ({
        indexName: name,
        partitionKey: stringKey(partitionKey),
        sortKey: stringKey(sortKey),
        projectionType: ProjectionType[projection],
      })),
    });
  }

  #bucket({ removalPolicy, miniStack }: DeploySettings) {
    return new Bucket(this, "Files", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      // MiniStack speaks plain HTTP and would have to refuse everyone.
      enforceSSL: !miniStack,
      removalPolicy,
      // Parts of uploads that were given up are billed until somebody removes them.
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(2) }],
    });
  }

  #outputs() {
    const { shared } = this;
    const outputs: Record<string, string> = {
      ...(shared.bells && { BellsUrl: shared.bells.url }),
      Url: this.api.apiEndpoint,
      ApiId: this.api.apiId,
      TableName: shared.tableName,
      FilesBucket: shared.filesBucket,
      SecretArn: shared.secretArn,
      ScheduleGroup: shared.scheduleGroup,
      ScheduleRoleArn: shared.scheduleRoleArn,
      ScheduleDeadLetterArn: shared.scheduleDeadLetterArn,
      ScheduleDeadLetterUrl: this.schedules.deadLetters.queueUrl,
    };
    for (const [name, { url }] of shared.queues) outputs[outputName(queueUrlVariable(name))] = url;
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

/** Outputs have no underscores: "QUEUE_URL_PUSH_JOBS" -> "QueueUrlPushJobs". */
const outputName = (variable: string) =>
  variable.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
