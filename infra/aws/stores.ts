import { Duration, type Stack } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type IBucket } from "aws-cdk-lib/aws-s3";
import { type CfnSecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { cors } from "../cors.ts";
import { tableShape } from "../table/table-shape.ts";
import type { DeploySettings } from "./settings.ts";

/** The resources with data that must not be lost: each is created, or is the existing one that the settings name. */

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The table: on-demand, encrypted, with point-in-time recovery over 35 days. `npm run deploy` protects it from deletion once the
 * fleet is deployed (infra/table/deletion-protection.ts): a protected table would block the rollback of a failed creation.
 */
export function fleetTable(scope: Stack, { removalPolicy, existing }: DeploySettings): ITableV2 {
  if (existing.table) {
    const { table: tableName, tableStreamArn } = existing;
    return TableV2.fromTableAttributes(scope, "Table", { tableName, tableStreamArn });
  }
  return new TableV2(scope, "Table", {
    partitionKey: stringKey(tableShape.partitionKey),
    sortKey: stringKey(tableShape.sortKey),
    billing: Billing.onDemand(),
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
    })),
  }) as ITableV2;
}

/** The bucket of files: private and encrypted; it accepts only TLS, except in emulators. */
export function fleetBucket(scope: Stack, { removalPolicy, emulator, existing }: DeploySettings): IBucket {
  if (existing.filesBucket) return Bucket.fromBucketName(scope, "Files", existing.filesBucket);
  return new Bucket(scope, "Files", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
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
    // Parts of abandoned uploads are billed until they are removed.
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(2) }],
  }) as IBucket;
}

/** The ARN of the fleet's secret. */
export function fleetSecretArn(scope: Stack, { removalPolicy, existing }: DeploySettings): string {
  if (existing.secretArn) return existing.secretArn;
  const secret = new Secret(scope, "Secret", {
    description:
      "The fleet derives API keys and links to files from this secret: see docs/operating.md before changing it",
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy,
  });
  // Equals secret.secretArn on AWS; on MiniStack secret.secretArn resolves to the secret's name.
  return (secret.node.defaultChild as CfnSecret).attrId;
}
