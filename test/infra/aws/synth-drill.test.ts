import { expect, test } from "vitest";
import { loadFleet } from "../../../infra/fleet.ts";
import { allOf, synthesized } from "./synthesized.ts";

/** The templates of a drill: a fleet on restored data, beside the fleet that they are from. */

const restored = {
  table: "Skein-Restored",
  tableStreamArn: "arn:aws:dynamodb:eu-west-1:123456789012:table/Skein-Restored/stream/2026-11-21T12:00:00.000",
  filesBucket: "skein-files",
  secretArn: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:Skein-a1b2c3",
};

/** Settings of the first fleet that must not take effect. */
const ofTheFirstFleet = {
  ...{ mailFrom: "skein@globe.test", pushBouncerUrl: "https://push.globe.test", alarmsTo: "operator@globe.test" },
  ...{ domain: "chat.globe.test", hostedZoneId: "Z0123456789", monthlyBudget: "20", waiting: "wake-up-queue" },
  ...{ dashboard: "true", terminationProtection: "true", canaries: "true", disableExecuteApiEndpoint: "true" },
};

test("a drill runs nothing by itself, sends nothing, and only reads the files", async () => {
  const context = { name: "SkeinDrill", drill: "true", ...restored, ...ofTheFirstFleet };

  const { templates } = await synthesized(await loadFleet(), context);

  const typesOf = (pattern: RegExp) =>
    templates.flatMap((template) => Object.values(template).filter(({ Type }) => pattern.test(Type)));
  expect(typesOf(/EventSourceMapping|Scheduler::Schedule$|EventInvokeConfig/)).toEqual([]);
  expect(typesOf(/DynamoDB|S3::|Secret|CloudWatch|SNS|Budgets|Route53|DomainName|CodeDeploy/)).toEqual([]);
  const functions = allOf(templates, "AWS::Lambda::Function");
  expect(functions.length).toBeGreaterThan(200);
  const variables = functions.flatMap(({ Properties }) => Object.keys(Properties.Environment?.Variables ?? {}));
  expect(variables.filter((name) => /PUSH_BOUNCER|MAIL_FROM|WAKE_UP|^SKEIN_FLEET$/.test(name))).toEqual([]);
  const actions = allOf(templates, "AWS::IAM::Role")
    .filter(({ Properties }) => JSON.stringify(Properties.AssumeRolePolicyDocument).includes("lambda.amazonaws.com"))
    .flatMap(({ Properties }) => Properties.Policies ?? [])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action }) => Action);
  expect([...new Set(actions.filter((action) => /^(s3|ses|scheduler|iam):/.test(action)))]).toEqual(["s3:GetObject"]);
  // People can read and write in the restored table.
  expect(actions).toEqual(expect.arrayContaining(["dynamodb:GetItem", "dynamodb:PutItem"]));
});

test("a drill without restored data is refused", async () => {
  await expect(
    synthesized([], { drill: "true", table: restored.table, tableStreamArn: restored.tableStreamArn }),
  ).rejects.toThrow("drill needs table, filesBucket and secretArn");
});
