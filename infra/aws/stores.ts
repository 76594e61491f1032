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

/** What must not be lost: each is made, or is the one that was there before this stack. */

const stringKey = (name: string) => ({ name, type: AttributeType.STRING });

/** The table: on demand, encrypted, restorable to any second of 35 days, and not to be deleted by mistake. */
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
    // What follows from the log is told by it. Lambda's own reading of a stream is free.
    dynamoStream: StreamViewType.NEW_IMAGE,
    deletionProtection: removalPolicy !== "destroy",
    removalPolicy,
    globalSecondaryIndexes: tableShape.indexes.map(({ name, partitionKey, sortKey, projection }) => ({
      indexName: name,
      partitionKey: stringKey(partitionKey),
      sortKey: stringKey(sortKey),
      projectionType: ProjectionType[projection],
    })),
  }) as ITableV2;
}

/** The bucket of files: private, encrypted, reached over TLS alone. */
export function fleetBucket(scope: Stack, { removalPolicy, miniStack, existing }: DeploySettings): IBucket {
  if (existing.filesBucket) return Bucket.fromBucketName(scope, "Files", existing.filesBucket);
  return new Bucket(scope, "Files", {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    // MiniStack speaks plain HTTP and would have to refuse everyone.
    enforceSSL: !miniStack,
    removalPolicy,
    // Pages of other origins follow links to files, and send large ones straight here; each link is signed.
    cors: [
      {
        allowedOrigins: [cors.origin],
        allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT],
        allowedHeaders: ["*"],
        maxAge: cors.maxAgeSeconds,
      },
    ],
    // Parts of uploads that were given up are billed until somebody removes them.
    lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(2) }],
  }) as IBucket;
}

/** The ARN of the fleet's secret. */
export function fleetSecret(scope: Stack, { removalPolicy, existing }: DeploySettings): string {
  if (existing.secretArn) return existing.secretArn;
  const secret = new Secret(scope, "Secret", {
    description: "From this the fleet derives API keys and links to files: see docs/operating.md before changing it",
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy,
  });
  // The same as secret.secretArn on AWS; MiniStack answers that one with the secret's name.
  return (secret.node.defaultChild as CfnSecret).attrId;
}
