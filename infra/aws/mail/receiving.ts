import { Duration, type Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnPermission, EventInvokeConfig, type IFunction } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { CfnReceiptRule, CfnReceiptRuleSet } from "aws-cdk-lib/aws-ses";
import { Construct } from "constructs";
import { incomingMailFolder } from "../../../shared/messaging/incoming-mail/jobs.ts";
import type { WorkerMember } from "../../fleet.ts";
import { timeoutSecondsOf } from "../../queues.ts";
import { type FunctionProps, fleetFunction } from "../fleet-function.ts";
import { keyStatements, type SharedResources } from "../grants.ts";
import { memberId } from "../identity.ts";
import type { DeadLetterQueue } from "../job-queues.ts";
import { type DeploySettings, mailRuleName, ownRuleSet } from "../settings.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb" | "triggerPermission"> & {
  member: WorkerMember;
  deadLetters: DeadLetterQueue;
};

/**
 * The function that handles each email, invoked without a queue: polling an empty one costs money. After three attempts within some
 * minutes, the email becomes a dead letter.
 */
export class MailFunction extends Construct {
  readonly fn: IFunction;

  constructor(scope: Construct, { deadLetters, ...props }: Props) {
    super(scope, memberId(props.member));
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: timeoutSecondsOf(props.member),
      memoryMb: props.member.spec.memoryMb,
      triggerPermission: new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [deadLetters.queueArn] }),
    });
    const failures = new EventInvokeConfig(this, "Retries", {
      function: fn,
      // While the account's functions are all busy, Lambda keeps the invocation.
      maxEventAge: Duration.hours(6),
      retryAttempts: 2,
      onFailure: new SqsDestination(deadLetters),
    });
    // Lambda rejects the destination until the role may send to it.
    if (fn.role) failures.node.addDependency(fn.role);
    this.fn = fn;
  }
}

/**
 * The rule by which SES stores each email to the domain in the bucket, and then invokes the function with its envelope. The name of the
 * rule set; CloudFormation cannot make it the active one (infra/stack/mail-domain.ts).
 */
export function mailRule(
  stack: Stack,
  fn: IFunction,
  { filesBucket, filesArn, keyArn }: SharedResources,
  { name, mailDomain, mailRuleSet }: DeploySettings,
): string {
  const scope = new Construct(stack, "Incoming-mail");
  const ruleSetName = mailRuleSet || ownRuleSet(name);
  const ruleName = mailRuleName(name);
  // Without these conditions SES could be made to act for another account (confused deputy).
  const source = {
    account: stack.account,
    arn: stack.formatArn({
      service: "ses",
      resource: "receipt-rule-set",
      resourceName: `${ruleSetName}:receipt-rule/${ruleName}`,
    }),
  };
  const role = new Role(scope, "Role", {
    assumedBy: new ServicePrincipal("ses.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": source.account, "aws:SourceArn": source.arn } },
    }),
    inlinePolicies: {
      store: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ["s3:PutObject"], resources: [incomingMailArn(filesArn)] }),
          ...keyStatements(keyArn),
          // SES needs it, too, to store in a bucket with the operator's key.
          ...(keyArn ? [new PolicyStatement({ actions: ["kms:Encrypt"], resources: [keyArn] })] : []),
        ],
      }),
    },
  });
  const permission = new CfnPermission(scope, "Invocation", {
    action: "lambda:InvokeFunction",
    functionName: fn.functionArn,
    principal: "ses.amazonaws.com",
    sourceAccount: source.account,
    sourceArn: source.arn,
  });
  const rule = new CfnReceiptRule(scope, "Rule", {
    ruleSetName,
    rule: {
      name: ruleName,
      enabled: true,
      recipients: [mailDomain],
      scanEnabled: true,
      // The addresses are secret, and a mail server that cannot encrypt would send them in clear text.
      tlsPolicy: "Require",
      actions: [
        { s3Action: { bucketName: filesBucket, objectKeyPrefix: incomingMailFolder, iamRoleArn: role.roleArn } },
        { lambdaAction: { functionArn: fn.functionArn, invocationType: "Event" } },
      ],
    },
  });
  // SES rejects the rule until it may do what the rule says.
  rule.node.addDependency(role, permission);
  if (!mailRuleSet) rule.node.addDependency(new CfnReceiptRuleSet(scope, "Rule-set", { ruleSetName }));
  return ruleSetName;
}

/** The emails that have arrived, among all objects of the bucket. */
export const incomingMailArn = (filesArn: string) => filesArn.replace(/\*$/, `${incomingMailFolder}*`);
