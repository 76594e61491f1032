import { App } from "aws-cdk-lib";
import { beforeAll, describe, expect, test } from "vitest";
import { deploySettings } from "../../../infra/aws/settings.ts";
import { type FleetMember, isWorker, loadFleet } from "../../../infra/fleet.ts";
import { strictSchemaOf } from "../../../shared/base/schema/params.ts";
import { stopMailsJob } from "../../../shared/features/settings/jobs.ts";
import { allOf, synthesized } from "./synthesized.ts";

/** The templates of a fleet that receives mail. */

const mail = { mailDomain: "chat.globe.test" };

let fleet: FleetMember[];
beforeAll(async () => {
  fleet = (await loadFleet()).filter((member) => isWorker(member) || member.kind === "fallback");
});

test("without a domain, nothing is created for mail that comes in", async () => {
  const { templates } = await synthesized(fleet);

  const types = templates.flatMap((template) => Object.values(template).map(({ Type }) => Type));
  expect(types.filter((type) => /SES|EventInvokeConfig/.test(type))).toEqual([]);
  const functions = allOf(templates, "AWS::Lambda::Function").map(({ Properties }) => Properties.Description);
  expect(functions).not.toContain("mail/receive-mails");
  expect(JSON.stringify(templates)).not.toMatch(/incoming-?mail(?!\/)/i);
});

test("SES reports the fleet's returned mails, through EventBridge, to a queue that accepts nothing else", async () => {
  const { templates } = await synthesized(fleet, { mailFrom: "skein@globe.test" });

  expect(allOf(templates, "AWS::SES::ConfigurationSet")).toMatchObject([{ Properties: { Name: "Skein-mail" } }]);
  expect(allOf(templates, "AWS::SES::ConfigurationSetEventDestination")).toMatchObject([
    { Properties: { EventDestination: { Enabled: true, MatchingEventTypes: ["BOUNCE", "COMPLAINT"] } } },
  ]);
  const rules = allOf(templates, "AWS::Events::Rule").map(({ Properties }) => Properties);
  expect(rules.map(({ EventPattern }) => EventPattern)).toEqual([
    {
      source: ["aws.ses"],
      "detail-type": ["Email Bounced"],
      detail: { bounce: { bounceType: ["Permanent"] }, mail: { tags: { "ses:configuration-set": ["Skein-mail"] } } },
    },
    {
      source: ["aws.ses"],
      "detail-type": ["Email Complaint Received"],
      detail: {
        complaint: {
          complaintFeedbackType: [{ "anything-but": ["not-spam", "auth-failure"] }, { exists: false }],
          complaintSubType: [{ "anything-but": ["OnAccountSuppressionList"] }, { exists: false }],
        },
        mail: { tags: { "ses:configuration-set": ["Skein-mail"] } },
      },
    },
    {
      source: ["aws.ses"],
      "detail-type": ["Email Complaint Received"],
      detail: {
        complaint: { complaintSubType: ["OnAccountSuppressionList"] },
        mail: { tags: { "ses:configuration-set": ["Skein-mail"] } },
      },
    },
  ]);
  for (const { Targets } of rules) {
    const [{ InputTransformer, DeadLetterConfig }] = Targets;
    expect(DeadLetterConfig).toBeDefined();
    // EventBridge replaces a name in angle brackets by a JSON string.
    const { kind, job } = JSON.parse(InputTransformer.InputTemplate.replaceAll(/<(\w+)>/g, '"$1"'));
    expect(kind).toBe(stopMailsJob.name);
    expect(strictSchemaOf(stopMailsJob.body).safeParse(job).success).toBe(true);
  }
  const allowed = allOf(templates, "AWS::SQS::QueuePolicy")
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(({ Principal }) => JSON.stringify(Principal).includes("events.amazonaws.com"));
  expect(allowed).toHaveLength(2);
  for (const { Action, Condition } of allowed) {
    expect(Action).toBe("sqs:SendMessage");
    expect(Condition.ArnEquals["aws:SourceArn"]).toHaveLength(3);
  }
  const sender = allOf(templates, "AWS::Lambda::Function").find(
    ({ Properties }) => Properties.Description === "mail/send-mails",
  );
  expect(sender?.Properties.Environment.Variables).toMatchObject({ MAIL_CONFIGURATION_SET: "Skein-mail" });
  expect(JSON.stringify(allOf(templates, "AWS::IAM::Role"))).toContain(":configuration-set/Skein-mail");
});

describe("with a domain", () => {
  test("SES scans each mail to it, stores it and invokes the function, without a queue", async () => {
    const { templates } = await synthesized(fleet, mail);

    expect(allOf(templates, "AWS::SES::ReceiptRuleSet").map(({ Properties }) => Properties)).toEqual([
      { RuleSetName: "Skein-mail" },
    ]);
    const [rule, ...others] = allOf(templates, "AWS::SES::ReceiptRule").map(({ Properties }) => Properties);
    expect(others).toEqual([]);
    expect(rule).toMatchObject({
      RuleSetName: "Skein-mail",
      Rule: {
        ...{ Enabled: true, Recipients: ["chat.globe.test"], ScanEnabled: true, TlsPolicy: "Require" },
        Actions: [
          { S3Action: { ObjectKeyPrefix: "incoming-mail/", IamRoleArn: expect.anything() } },
          { LambdaAction: { InvocationType: "Event" } },
        ],
      },
    });
    expect(JSON.stringify(allOf(templates, "AWS::Lambda::EventSourceMapping"))).not.toMatch(/incoming-?mail/i);
    const fn = allOf(templates, "AWS::Lambda::Function").find(
      ({ Properties }) => Properties.Description === "mail/receive-mails",
    );
    expect(fn?.Properties).toMatchObject({ MemorySize: 1024, Timeout: 120 });
    expect(fn?.Properties.Environment.Variables).toMatchObject({
      ...{ MAIL_DOMAIN: "chat.globe.test", MAIL_VERDICTS_BY: "amazonses.com" },
    });
    expect(fn?.Properties.Environment.Variables).not.toHaveProperty("QUEUE_URL_INCOMING_MAIL");
    expect(allOf(templates, "AWS::Lambda::EventInvokeConfig")).toMatchObject([
      {
        Properties: {
          ...{ MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 21_600 },
          DestinationConfig: { OnFailure: { Destination: expect.anything() } },
        },
      },
    ]);
  });

  test("SES may store mails in one folder and invoke one function, for the fleet's rule alone", async () => {
    const { templates } = await synthesized(fleet, mail);

    const source = { "aws:SourceAccount": { Ref: "AWS::AccountId" }, "aws:SourceArn": expect.anything() };
    const [role] = allOf(templates, "AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties.AssumeRolePolicyDocument).includes("ses.amazonaws.com"),
    );
    expect(role?.Properties.AssumeRolePolicyDocument.Statement).toMatchObject([
      { Condition: { StringEquals: source } },
    ]);
    const { PolicyDocument: policy } = role?.Properties.Policies[0] ?? {};
    expect(policy.Statement).toMatchObject([{ Action: "s3:PutObject" }]);
    expect(JSON.stringify(policy.Statement[0].Resource)).toContain('/incoming-mail/*"');
    const [permission] = allOf(templates, "AWS::Lambda::Permission").filter(
      ({ Properties }) => Properties.Principal === "ses.amazonaws.com",
    );
    expect(permission?.Properties.SourceAccount).toEqual({ Ref: "AWS::AccountId" });
    expect(JSON.stringify(permission?.Properties.SourceArn)).toContain(
      ":receipt-rule-set/Skein-mail:receipt-rule/Skein-mail",
    );
  });

  test("the rule is added to the rule set that a setting names, and the operator's own key is used", async () => {
    const kmsKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/abc";
    const { templates } = await synthesized(fleet, { ...mail, mailRuleSet: "company", kmsKeyArn });

    expect(allOf(templates, "AWS::SES::ReceiptRuleSet")).toEqual([]);
    expect(allOf(templates, "AWS::SES::ReceiptRule")).toMatchObject([{ Properties: { RuleSetName: "company" } }]);
    const [role] = allOf(templates, "AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties.AssumeRolePolicyDocument).includes("ses.amazonaws.com"),
    );
    expect(role?.Properties.Policies[0].PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Action: "kms:Encrypt", Resource: kmsKeyArn }),
    );
    expect(JSON.stringify(role?.Properties.Policies)).toContain("kms:GenerateDataKey");
    expect(() => deploySettings(new App({ context: { mailRuleSet: "company" } }).node)).toThrow(
      "mailRuleSet requires mailDomain",
    );
    const sameDomain = {
      ...mail,
      domain: mail.mailDomain,
      certificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/abc",
    };
    expect(() => deploySettings(new App({ context: sameDomain }).node)).toThrow("mailDomain must be another domain");
  });
});
