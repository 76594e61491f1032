import { DeleteObjectCommand, HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { MiniStack } from "../../infra/emulator/ministack.ts";
import { uploadFileKey } from "../../shared/blobs/names.ts";
import { bundleForDeploy, deploy, destroy, outputsOf, run } from "./cdk.ts";
import { check } from "./check.ts";
import { moveIn } from "./moving-in.ts";
import { smallFleet } from "./older-fleet.ts";
import type { Upgrade } from "./upgrade.ts";
import { Visitor } from "./visitor.ts";

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
async function deleteAndRestoreFile(name: string, { url, env }: MiniStack, Bucket: string, upload: string) {
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID ?? "", secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "" };
  const s3 = new S3Client({ endpoint: url, region: env.AWS_REGION ?? "", forcePathStyle: true, credentials });
  const Key = uploadFileKey(upload.replace("/user_uploads/", ""));
  await s3.send(new HeadObjectCommand({ Bucket, Key }));
  // S3 stores times in whole seconds, so the deletion might seem older than this moment.
  const at = new Date(Date.now() - 1000);
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  const args = ["--at", at.toISOString(), "--to", `${name}-Restored`];
  const printed = await run("infra/table/restore.ts", args, { ...env, SKEIN_DEPLOYMENT: outputsOf(name) });
  const restored = await s3.send(new HeadObjectCommand({ Bucket, Key })).catch(String);
  check(typeof restored !== "string", `The file was not restored: ${restored}\n${printed}`);
  return JSON.parse(/\{[^}]*\}/.exec(printed)?.[0] ?? "{}") as { table: string; tableStreamArn: string };
}

/** A hosted zone that does not exist: the domain's record fails after the table, the bucket and the secret exist. */
const missingZone = { domain: "chat.globe.test", hostedZoneId: "ZMISSING" };

/**
 * Deploys a small fleet, first with a setting that fails in the middle: it must leave no table that blocks the next attempt or
 * costs money. Then moves an organization in, and destroys the fleet with it and all of its data.
 */
export async function destroyWithData(miniStack: MiniStack) {
  const { env } = miniStack;
  const context = await bundleForDeploy("SkeinTrial", smallFleet("SkeinTrial"));
  const failed = await deploy("SkeinTrial", env, { ...context, ...missingZone }).catch(String);
  check(
    String(failed).includes("No hosted zone"),
    `The deployment did not fail as expected: ${JSON.stringify(failed)}`,
  );
  const left = await callDynamoDb(miniStack, "ListTables");
  check(!left.includes("SkeinTrial"), `The failed deployment left its table: ${left}`);
  const { outputs } = await deploy("SkeinTrial", env, context);
  const { TableName = "" } = outputs;
  const described = await callDynamoDb(miniStack, "DescribeTable", { TableName });
  check(/"DeletionProtectionEnabled": *true/.test(described), `The table is not protected: ${described}`);
  await moveIn("SkeinTrial", miniStack, outputs);
  const refused = await destroy("SkeinTrial", env, context, ["--delete-data", "Skein"]).catch(String);
  check(
    refused.includes("must be followed by the stack's name, SkeinTrial"),
    `The data can be deleted without the stack's name: ${refused}`,
  );

  await destroy("SkeinTrial", env, context, ["--delete-data", "SkeinTrial"]);

  const tables = await callDynamoDb(miniStack, "ListTables");
  check(!tables.includes(TableName), `The table is still there: ${tables}`);
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
