import { type CfnResource, Duration, type RemovalPolicy, type Stack } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type IBucket } from "aws-cdk-lib/aws-s3";
import { type CfnSecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { IConstruct } from "constructs";
import { tableShape } from "../../shared/base/table-port/table-shape.ts";
import { incomingMailFolder } from "../../shared/messaging/incoming-mail/jobs.ts";
import { cors } from "../cors.ts";
import type { DeploySettings } from "./settings.ts";

/** The resources with data that must not be lost: each is created, or is the existing one that the settings name. */

/**
 * Notes the removal policy in the template a second time: CloudFormation updates no stack of which nothing else has changed than
 * deletion policies.
 */
function noteRemoval(resource: IConstruct, removalPolicy: RemovalPolicy): void {
  (resource.node.defaultChild as CfnResource).addMetadata("removal", removalPolicy);
}

/** The operator's own key for the data, if the settings name one. */
export const fleetKey = (scope: Stack, { kmsKeyArn }: DeploySettings): IKey | undefined =>
  kmsKeyArn ? Key.fromKeyArn(scope, "Key", kmsKeyArn) : undefined;

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The table: on-demand, encrypted, with point-in-time recovery over 35 days. `npm run deploy` protects it from deletion once the
 * fleet is deployed (infra/backup/deletion-protection.ts): a protected table would block the rollback of a failed creation.
 */
export function fleetTable(scope: Stack, settings: DeploySettings, key: IKey | undefined): ITableV2 {
  const { removalPolicy, existing, maxUnits } = settings;
  if (existing.table) {
    const { table: tableName, tableStreamArn } = existing;
    return TableV2.fromTableAttributes(scope, "Table", { tableName, tableStreamArn });
  }
  // An index has a limit of its own.
  const limits = {
    ...(maxUnits.read > 0 && { maxReadRequestUnits: maxUnits.read }),
    ...(maxUnits.write > 0 && { maxWriteRequestUnits: maxUnits.write }),
  };
  const table = new TableV2(scope, "Table", {
    partitionKey: stringKey(tableShape.partitionKey),
    sortKey: stringKey(tableShape.sortKey),
    billing: Billing.onDemand(limits),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: tableShape.timeToLiveAttribute,
    // The stream triggers the log's consumers. Lambda's reads from a stream are free.
    dynamoStream: StreamViewType.NEW_IMAGE,
    removalPolicy,
    globalSecondaryIndexes: tableShape.indexes.map(({ name, partitionKey, sortKey, projection }) => ({
      indexName: name,
      partitionKey: stringKey(partitionKey),
      sortKey: stringKey(sortKey),
      projectionType: ProjectionType[projection],
      ...limits,
    })),
  });
  noteRemoval(table, removalPolicy);
  // CDK's own property for this needs a stack whose region is known.
  const resource = table.node.defaultChild as CfnGlobalTable;
  if (key) {
    resource.sseSpecification = { sseEnabled: true, sseType: "KMS" };
    resource.addPropertyOverride("Replicas.0.SSESpecification", { KMSMasterKeyId: key.keyArn });
  }
  return table as ITableV2;
}

/** How long a deleted or replaced file can be restored: as long as the table. */
const restorableDays = 35;

/** The bucket of files: private, encrypted, with versions; it accepts only TLS, except in emulators. */
export function fleetBucket(scope: Stack, settings: DeploySettings, key: IKey | undefined): IBucket {
  const { removalPolicy, emulator, existing } = settings;
  if (existing.filesBucket) return Bucket.fromBucketName(scope, "Files", existing.filesBucket);
  const bucket = new Bucket(scope, "Files", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // With a bucket key, S3 does not call KMS for each object.
    ...(key
      ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    versioned: true,
    // Emulators have no TLS.
    enforceSSL: !emulator,
    removalPolicy,
    // Web clients of other origins download files and upload large ones directly, through presigned links.
    cors: [
      {
        allowedOrigins: [cors.origin],
        allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT],
        allowedHeaders: ["*"],
        maxAge: cors.maxAgeSeconds,
      },
    ],
    lifecycleRules: [
      {
        // Archives with private messages, which are deleted when their import ends.
        prefix: "imports/",
        expiration: Duration.days(2),
        noncurrentVersionExpiration: Duration.days(1),
      },
      {
        // Parts of abandoned uploads are billed until they are removed.
        abortIncompleteMultipartUploadAfter: Duration.days(2),
        noncurrentVersionExpiration: Duration.days(restorableDays),
        expiredObjectDeleteMarker: true,
      },
      {
        // Mails are deleted once they are delivered, and their dead letters after 14 days. No restore brings them back.
        prefix: incomingMailFolder,
        expiration: Duration.days(15),
        noncurrentVersionExpiration: Duration.days(1),
      },
    ],
  });
  noteRemoval(bucket, removalPolicy);
  return bucket as IBucket;
}

/** The ARN of the fleet's secret. */
export function fleetSecretArn(
  scope: Stack,
  { removalPolicy, existing }: DeploySettings,
  key: IKey | undefined,
): string {
  if (existing.secretArn) return existing.secretArn;
  const secret = new Secret(scope, "Secret", {
    description:
      "The fleet derives API keys and links to files from this secret: see docs/operating.md before changing it",
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    ...(key && { encryptionKey: key }),
    removalPolicy,
  });
  noteRemoval(secret, removalPolicy);
  // Equals secret.secretArn on AWS; on MiniStack secret.secretArn resolves to the secret's name.
  return (secret.node.defaultChild as CfnSecret).attrId;
}
