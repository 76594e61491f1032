import { createOrganization, deploy, destroy } from "./cdk.ts";
import type { MiniStack } from "./ministack.ts";
import { smallFleet } from "./older-fleet.ts";
import type { Upgrade } from "./upgrade.ts";
import { Visitor } from "./visitor.ts";

/**
 * Runs after the tests: destroys the fleet but keeps its table, deploys a new fleet with that table, which must serve the
 * old data, and then destroys a fleet with its data. Throws if something is wrong.
 */
export async function destroyAndReturn(
  name: string,
  miniStack: MiniStack,
  outputs: Record<string, string>,
  upgrade: Upgrade,
) {
  const { env } = miniStack;
  const farewell = await destroy(name, env);
  const { TableName: table = "", FilesBucket: filesBucket = "", SecretArn: secretArn = "" } = outputs;
  const { TableStreamArn: tableStreamArn = "" } = outputs;
  for (const kept of [table, filesBucket, secretArn])
    hold(farewell.includes(kept), `The farewell does not say that ${kept} is kept:\n${farewell}`);
  const gone = await new Visitor(miniStack, outputs.ApiId ?? "").call("GET", "/api/v1/server_settings");
  hold(gone.status !== 200, "The destroyed fleet still answers");

  const existing = { root: smallFleet(name), table, tableStreamArn, filesBucket, secretArn };
  const returned = await deploy(name, env, existing);
  hold(returned.outputs.TableName === table, "The new fleet has a table of its own");
  const visitor = new Visitor(miniStack, returned.outputs.ApiId ?? "");
  await visitor.logIn();
  hold(visitor.key === upgrade.key, "The former API key is not returned any more");
  const { text } = await visitor.call("GET", `/api/v1/messages`, {
    ...{ anchor: String(upgrade.messageId), num_before: "0", num_after: "0", apply_markdown: "false" },
  });
  hold(text.includes(upgrade.content), `The message of before cannot be read: ${text}`);
  await destroy(name, env, existing);
}

/** Destroys a small fleet with an organization and all of its data. */
export async function destroyWithData(miniStack: MiniStack) {
  const { env } = miniStack;
  const context = { root: smallFleet("SkeinTrial") };
  const { outputs } = await deploy("SkeinTrial", env, context);
  await createOrganization("SkeinTrial", env);
  const refused = await destroy("SkeinTrial", env, context, ["--delete-data", "Skein"]).catch(String);
  hold(
    refused.includes("must be followed by the stack's name, SkeinTrial"),
    `Data would go without its name: ${refused}`,
  );

  await destroy("SkeinTrial", env, context, ["--delete-data", "SkeinTrial"]);

  const tables = await ask(miniStack, "DynamoDB_20120810.ListTables");
  hold(!tables.includes(outputs.TableName ?? ""), `The table is still there: ${tables}`);
}

function hold(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

/** MiniStack identifies the caller by the access key in a request and verifies no signature. */
async function ask({ url }: MiniStack, target: string): Promise<string> {
  const credential = "test/20260101/us-east-1/dynamodb/aws4_request";
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`,
    "x-amz-target": target,
    "content-type": "application/x-amz-json-1.0",
  };
  return (await fetch(url, { method: "POST", headers, body: "{}" })).text();
}
