import { CloudFormationClient, UpdateTerminationProtectionCommand } from "@aws-sdk/client-cloudformation";
import { DeleteObjectCommand, HeadObjectCommand, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import { outputsIn } from "../../../infra/deployment.ts";
import type { MiniStack } from "../../../infra/ministack/ministack.ts";
import { uploadFileKey } from "../../../shared/services/blobs/names.ts";
import { bundleForDeploy, deploy, destroy, outputsOf, run } from "../cdk.ts";
import { check } from "../check.ts";
import { moveIn } from "../moving-in.ts";
import { smallFleet } from "../older-fleet.ts";
import { deployRelease } from "../release.ts";
import type { Upgrade } from "../upgrade.ts";
import { Visitor } from "../visitor.ts";
import { checkOutputs, interruptFirstDeployment, interruptUpgrade } from "./interruption.ts";

/**
 * Runs after the tests: restores the fleet's table into a new one, and a file that was deleted; destroys the fleet but keeps its
 * data, and deploys a new fleet with the restored table, which must serve the old data. Throws if something is wrong.
 */
export async function destroyAndRedeploy(
  name: string,
  miniStack: MiniStack,
  outputs: Record<string, string>,
  upgrade: Upgrade,
) {
  const { env } = miniStack;
  const { TableName: formerTable = "", FilesBucket: filesBucket = "", SecretArn: secretArn = "" } = outputs;
  const { table, tableStreamArn } = await deleteAndRestoreFile(name, miniStack, filesBucket, upgrade.upload);
  const printed = await destroy(name, env);
  for (const resource of [formerTable, filesBucket, secretArn])
    check(printed.includes(resource), `The output does not say that ${resource} is kept:\n${printed}`);
  const reply = await new Visitor(miniStack, outputs.ApiId ?? "").call("GET", "/api/v1/server_settings");
  check(reply.status !== 200, "The destroyed fleet still answers");

  const existing = {
    ...(await bundleForDeploy(`${name}Again`, smallFleet(name))),
    ...{ table, tableStreamArn, filesBucket, secretArn },
  };
  const redeployed = await deploy(name, env, existing);
  check(redeployed.outputs.TableName === table, "The new fleet has a table of its own");
  const visitor = new Visitor(miniStack, redeployed.outputs.ApiId ?? "");
  await visitor.logIn();
  check(visitor.key === upgrade.apiKey, "The former API key is no longer returned");
  const { text } = await visitor.call("GET", `/api/v1/messages`, {
    ...{ anchor: String(upgrade.messageId), num_before: "0", num_after: "0", apply_markdown: "false" },
  });
  check(text.includes(upgrade.content), `The message from before the upgrade cannot be read: ${text}`);
  await destroy(name, env, existing);
}

/** Deletes a file, as an accident would, and runs `npm run restore`. Returns the settings that the command prints. */
async function deleteAndRestoreFile(name: string, miniStack: MiniStack, Bucket: string, upload: string) {
  const s3 = new S3Client({ ...clientSettings(miniStack), forcePathStyle: true });
  const Key = uploadFileKey(upload.replace("/user_uploads/", ""));
  await s3.send(new HeadObjectCommand({ Bucket, Key }));
  // S3 stores times in whole seconds, so the deletion might seem older than this moment.
  const at = new Date(Date.now() - 1000);
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  const args = ["--at", at.toISOString(), "--to", `${name}-Restored`];
  const printed = await run("infra/backup/restore.ts", args, { ...miniStack.env, SKEIN_DEPLOYMENT: outputsOf(name) });
  const restored = await s3.send(new HeadObjectCommand({ Bucket, Key })).catch(String);
  check(typeof restored !== "string", `The file was not restored: ${restored}\n${printed}`);
  return printedSettings(printed);
}

/** A hosted zone that does not exist: the domain's record fails after the table, the bucket and the secret exist. */
const missingZone = { domain: "chat.globe.test", hostedZoneId: "ZMISSING" };

/**
 * Deploys a small fleet, first with a setting that fails in the middle: it must leave no table that blocks the next attempt or
 * costs money. Then deploys a release without a checkout, moves an organization in, upgrades to the next release, both after attempts that
 * are interrupted, and destroys the fleet with it and all of its data, after attempts that must be refused.
 * Whatever happens to it, the fleet with the outputs `neighbour` beside it keeps its data.
 */
export async function destroyWithData(miniStack: MiniStack, neighbour: Record<string, string>) {
  const { env } = miniStack;
  const name = "SkeinTrial";
  const bundled = await bundleForDeploy(name, smallFleet(name));
  const context = { ...bundled, removal: "destroy" };
  const failed = await deploy(name, env, { ...context, ...missingZone }).catch(String);
  check(
    String(failed).includes("No hosted zone"),
    `The deployment did not fail as expected: ${JSON.stringify(failed)}`,
  );
  const left = await callDynamoDb(miniStack, "ListTables");
  check(!left.includes(name), `The failed deployment left its table: ${left}`);
  const others = await contentsOf(miniStack, neighbour);
  const checkNeighbour = async (after: string) =>
    check(contains(await contentsOf(miniStack, neighbour), others), `${after} deleted data of the fleet beside it`);
  const retaining = { ...context, removal: "retain" };
  await interruptFirstDeployment(name, miniStack, retaining);
  await deployRelease("0.1.1", name, env, retaining);
  await checkNeighbour("The interrupted first deployment");
  const outputs = await checkOutputs(name, miniStack, outputsIn(outputsOf(name), name) ?? {});
  const { TableName = "", FilesBucket: filesBucket = "", SecretArn: secretArn = "" } = outputs;
  const described = await callDynamoDb(miniStack, "DescribeTable", { TableName });
  check(/"DeletionProtectionEnabled": *true/.test(described), `The table is not protected: ${described}`);
  await moveIn(name, miniStack, outputs);
  const own = await contentsOf(miniStack, outputs);
  check(own.files.length > 0 && own.messages.size > 0, "The fleet has no file or no message");
  const checkContents = async (after: string) => {
    await checkNeighbour(after);
    check(contains(await contentsOf(miniStack, outputs), own), `${after} deleted data`);
  };
  await interruptUpgrade(name, miniStack, context);
  await deployRelease("0.1.2", name, env, context);
  await checkContents("The interrupted upgrade");
  await checkOutputs(name, miniStack, outputsIn(outputsOf(name), name) ?? {});
  const checkRefused = async (reason: string, destroying: Promise<string>) => {
    const refused = await destroying.catch(String);
    check(refused.includes(reason), `It is not refused by "${reason}": ${refused}`);
    await checkContents(reason);
  };
  const withData = ["--yes", "--delete-data", name];

  await checkRefused(
    `must be followed by the stack's name, ${name}`,
    destroy(name, env, context, ["--yes", "--delete-data", "Skein"]),
  );
  await checkRefused("confirm with --yes", destroy(name, env, context, ["--delete-data", name]));
  await checkRefused('deployed with removal "destroy"', destroy(name, env, bundled));
  const cloudFormation = new CloudFormationClient(clientSettings(miniStack));
  const protect = (EnableTerminationProtection: boolean) =>
    cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection }));
  await protect(true);
  await checkRefused("protected from deletion", destroy(name, env, context, withData));
  await protect(false);
  await checkRefused(
    `${TableName} would be deleted`,
    deploy(name, env, {
      ...context,
      table: neighbour.TableName ?? "",
      tableStreamArn: neighbour.TableStreamArn ?? "",
    }).then(() => "deployed"),
  );

  // As docs/operating.md practises a restore, with the settings file of the first fleet.
  const drill = "SkeinDrill";
  const at = new Date().toISOString();
  const restored = await run("infra/backup/restore.ts", ["--at", at, "--to", "Drill", "--without-files"], {
    ...env,
    SKEIN_DEPLOYMENT: outputsOf(name),
  });
  const taken = await run("infra/backup/restore.ts", ["--at", at, "--to", neighbour.TableName ?? ""], {
    ...env,
    SKEIN_DEPLOYMENT: outputsOf(name),
  }).catch(String);
  check(taken.includes("choose another name"), `A table of another fleet is taken for a restored one: ${taken}`);
  const drillContext = { ...context, ...printedSettings(restored), filesBucket, secretArn, drill: "true" };
  await deploy(drill, env, drillContext);
  await checkRefused(`the fleet ${drill} uses the bucket ${filesBucket}`, destroy(name, env, context, withData));
  await destroy(drill, env, drillContext, ["--yes", "--delete-data", drill]);
  await checkContents("The drill");

  await destroy(name, env, context, withData);

  const tables = await callDynamoDb(miniStack, "ListTables");
  check(!tables.includes(TableName), `The table is still there: ${tables}`);
  const bucket = await contentsOf(miniStack, outputs).catch(String);
  check(typeof bucket === "string", `The bucket is still there: ${JSON.stringify(bucket)}`);
  await checkNeighbour("The removal");
}

const clientSettings = ({ url, env }: MiniStack) => ({
  endpoint: url,
  region: env.AWS_REGION ?? "",
  credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID ?? "", secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "" },
});

/** The settings that a command prints as JSON. */
const printedSettings = (printed: string) =>
  JSON.parse(/\{[^}]*\}/.exec(printed)?.[0] ?? "{}") as { table: string; tableStreamArn: string };

/** The messages in a fleet's table and the versions of its files, by their keys. */
interface Contents {
  messages: Set<string>;
  files: string[];
}

/** Whether all that was there before is there now. A fleet goes on working: scheduled messages become due, and their items go. */
const contains = (now: Contents, before: Contents) =>
  [...before.messages].every((key) => now.messages.has(key)) && before.files.every((key) => now.files.includes(key));

/** Throws if there is no table or bucket. */
async function contentsOf(miniStack: MiniStack, outputs: Record<string, string>): Promise<Contents> {
  const { TableName = "", FilesBucket = "" } = outputs;
  const s3 = new S3Client({ ...clientSettings(miniStack), forcePathStyle: true });
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: FilesBucket }));
  const files = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => `${Key} ${VersionId}`);
  const messages = new Set<string>();
  let ExclusiveStartKey: unknown;
  do {
    const scanned = await callDynamoDb(miniStack, "Scan", {
      ...{ TableName, ProjectionExpression: "pk", FilterExpression: "sk = :message", ExclusiveStartKey },
      ExpressionAttributeValues: { ":message": { S: "MESSAGE" } },
    });
    const page = JSON.parse(scanned) as { Items?: { pk: { S: string } }[]; LastEvaluatedKey?: unknown };
    if (page.Items === undefined) throw new Error(scanned);
    for (const { pk } of page.Items) messages.add(pk.S);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return { messages, files };
}

/** Calls an action of DynamoDB. MiniStack identifies the caller by the access key and verifies no signature. */
async function callDynamoDb({ url }: MiniStack, action: string, input: object = {}): Promise<string> {
  const credential = "test/20260101/us-east-1/dynamodb/aws4_request";
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`,
    "x-amz-target": `DynamoDB_20120810.${action}`,
    "content-type": "application/x-amz-json-1.0",
  };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(input) })).text();
}
