import type { MiniStack } from "../../infra/emulator/ministack.ts";
import { bundleForDeploy, createOrganization, deploy, destroy } from "./cdk.ts";
import { smallFleet } from "./older-fleet.ts";
import type { Upgrade } from "./upgrade.ts";
import { Visitor } from "./visitor.ts";

/**
 * Runs after the tests: destroys the fleet but keeps its table, and deploys a new fleet with that table, which must serve
 * the old data. Throws if something is wrong.
 */
export async function destroyAndRedeploy(
  name: string,
  miniStack: MiniStack,
  outputs: Record<string, string>,
  upgrade: Upgrade,
) {
  const { env } = miniStack;
  const printed = await destroy(name, env);
  const { TableName: table = "", FilesBucket: filesBucket = "", SecretArn: secretArn = "" } = outputs;
  const { TableStreamArn: tableStreamArn = "" } = outputs;
  for (const resource of [table, filesBucket, secretArn])
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

/** A hosted zone that does not exist: the domain's record fails after the table, the bucket and the secret exist. */
const missingZone = { domain: "chat.globe.test", hostedZoneId: "ZMISSING" };

/**
 * Deploys a small fleet, first with a setting that fails in the middle: it must leave no table that blocks the next attempt or
 * costs money. Then destroys the fleet with its organization and all of its data.
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
  await createOrganization("SkeinTrial", env);
  const refused = await destroy("SkeinTrial", env, context, ["--delete-data", "Skein"]).catch(String);
  check(
    refused.includes("must be followed by the stack's name, SkeinTrial"),
    `The data can be deleted without the stack's name: ${refused}`,
  );

  await destroy("SkeinTrial", env, context, ["--delete-data", "SkeinTrial"]);

  const tables = await callDynamoDb(miniStack, "ListTables");
  check(!tables.includes(TableName), `The table is still there: ${tables}`);
}

function check(condition: boolean, failure: string): void {
  if (!condition) throw new Error(failure);
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
