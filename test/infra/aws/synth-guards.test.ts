import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, expect, test } from "vitest";
import { type FleetMember, loadFleet } from "../../../infra/fleet.ts";
import { endpointSource, fallbackSource, fleetFolder, followerSource, workerSource } from "../fleet-folder.ts";
import { allOf, apiDefinitionOf, apiRoutesOf, removeAfterwards, synthesized } from "./synthesized.ts";

/** The settings by which an operator limits a fleet, protects it, and tries an upgrade. */

let fleet: FleetMember[];

beforeAll(async () => {
  const folder = fleetFolder({
    "jobs/do-job.ts": workerSource("jobs"),
    "events/notify-waiters.ts": followerSource,
    "messages/send-message.ts": endpointSource("POST", "/messages", '{ table: "readWrite" }'),
    "server/get-thing.ts": endpointSource("GET", "/thing", '{ table: "read", secret: true }'),
    "server/unknown-route.ts": fallbackSource,
  });
  removeAfterwards(folder.root);
  fleet = await loadFleet(folder.root);
});

const withSettings = (context: Record<string, string>) => synthesized(fleet, context);
const keyArn = "arn:aws:kms:eu-central-1:123456789012:key/0123-abcd";

test("everything has the operator's tags, the stack is protected, and every role has the boundary", async () => {
  const permissionsBoundary = "arn:aws:iam::123456789012:policy/Boundary";
  const tags = "team=chat, stage=trial";
  const { app, templates } = await withSettings({ permissionsBoundary, tags, terminationProtection: "true" });

  const stack = app.synth().getStackByName("Skein");
  expect(stack.tags).toEqual({ team: "chat", stage: "trial" });
  expect(stack.terminationProtection).toBe(true);
  const roles = allOf(templates, "AWS::IAM::Role");
  expect(roles.length).toBeGreaterThan(fleet.length);
  for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(permissionsBoundary);
});

test("with the operator's own key, all data is encrypted with it, and every role that touches data may use it", async () => {
  const { app, templates } = await withSettings({ kmsKeyArn: keyArn });

  const [table] = allOf(templates, "AWS::DynamoDB::GlobalTable");
  expect(table?.Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: "KMS" });
  expect(JSON.stringify(table?.Properties.Replicas)).toContain(keyArn);
  const [bucket] = allOf(templates, "AWS::S3::Bucket");
  expect(JSON.stringify(bucket?.Properties.BucketEncryption)).toContain(keyArn);
  expect(allOf(templates, "AWS::SecretsManager::Secret")).toMatchObject([{ Properties: { KmsKeyId: keyArn } }]);
  for (const { Properties } of allOf(templates, "AWS::SQS::Queue")) expect(Properties.KmsMasterKeyId).toBe(keyArn);
  for (const { Properties } of allOf(templates, "AWS::IAM::Role")) {
    const statements = Properties.Policies.flatMap((policy: any) => policy.PolicyDocument.Statement);
    // API Gateway's own role reads wake-up queues, which contain nothing and have SQS's key.
    if (JSON.stringify(Properties.AssumeRolePolicyDocument).includes("apigateway")) continue;
    expect(statements).toContainEqual({
      ...{ Effect: "Allow", Action: ["kms:Decrypt", "kms:GenerateDataKey"], Resource: keyArn },
    });
  }
  expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
});

test("the table and each index are limited, and files keep their versions as long as the table can be restored", async () => {
  const { templates } = await withSettings({ maxReadUnits: "400", maxWriteUnits: "100" });

  const [table] = allOf(templates, "AWS::DynamoDB::GlobalTable");
  const { Properties } = table!;
  expect(Properties.WriteOnDemandThroughputSettings).toEqual({ MaxWriteRequestUnits: 100 });
  const [replica] = Properties.Replicas;
  expect(replica.ReadOnDemandThroughputSettings).toEqual({ MaxReadRequestUnits: 400 });
  expect(Properties.GlobalSecondaryIndexes).toHaveLength(3);
  for (const index of Properties.GlobalSecondaryIndexes)
    expect(index.WriteOnDemandThroughputSettings).toEqual({ MaxWriteRequestUnits: 100 });
  for (const index of replica.GlobalSecondaryIndexes)
    expect(index.ReadOnDemandThroughputSettings).toEqual({ MaxReadRequestUnits: 400 });
  const [bucket] = allOf(templates, "AWS::S3::Bucket");
  expect(bucket?.Properties.VersioningConfiguration).toEqual({ Status: "Enabled" });
  expect(bucket?.Properties.LifecycleConfiguration.Rules).toMatchObject([
    { Prefix: "imports/", ExpirationInDays: 2, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
    { NoncurrentVersionExpiration: { NoncurrentDays: 35 }, ExpiredObjectDeleteMarker: true },
    { Prefix: "incoming-mail/", ExpirationInDays: 15, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
  ]);
});

test("API Gateway's own address can be closed where there is a domain", async () => {
  const domain = { domain: "chat.globe.test", hostedZoneId: "Z0123456789" };
  const open = await withSettings(domain);
  const closed = await withSettings({ ...domain, disableExecuteApiEndpoint: "true" });

  const endpointConfiguration = "x-amazon-apigateway-endpoint-configuration";
  const isClosed = ({ templates }: typeof open) =>
    apiDefinitionOf(templates).servers?.map((server: Record<string, any>) => server[endpointConfiguration]);
  expect([isClosed(open), isClosed(closed)]).toEqual([undefined, [{ disableExecuteApiEndpoint: true }]]);
});

test("a budget mails the operator before and after it is spent", async () => {
  const { templates } = await withSettings({ alarmsTo: "operator@globe.test", monthlyBudget: "20" });

  const [budget, ...others] = allOf(templates, "AWS::Budgets::Budget");
  expect(others).toEqual([]);
  expect(budget?.Properties).toMatchObject({
    Budget: { BudgetLimit: { Amount: 20, Unit: "USD" }, TimeUnit: "MONTHLY" },
    NotificationsWithSubscribers: [
      {
        Notification: { NotificationType: "ACTUAL", Threshold: 80 },
        Subscribers: [{ Address: "operator@globe.test" }],
      },
      { Notification: { NotificationType: "FORECASTED", Threshold: 100 } },
    ],
  });
});

test("an upgrade tries a function that everybody uses with a tenth of the requests, and goes back if an alarm goes off", async () => {
  const { app, templates } = await withSettings({ canaries: "true" });

  const [alias, ...others] = allOf(templates, "AWS::Lambda::Alias") as { UpdatePolicy?: object }[];
  expect(others).toEqual([]);
  expect(alias?.UpdatePolicy).toHaveProperty("CodeDeployLambdaAliasUpdate.DeploymentGroupName");
  const [group] = allOf(templates, "AWS::CodeDeploy::DeploymentGroup");
  expect(group?.Properties).toMatchObject({
    DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes",
    AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(["DEPLOYMENT_STOP_ON_ALARM"]) },
  });
  expect(group?.Properties.AlarmConfiguration.Alarms).toHaveLength(2);
  const uris = apiRoutesOf(templates).map(({ integration }) => integration.uri?.["Fn::Sub"] ?? "");
  expect(uris.filter((uri) => uri.endsWith(":live/invocations"))).toHaveLength(1);
  expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
});
