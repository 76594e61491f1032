import { type Stack, Validations } from "aws-cdk-lib";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { ConnectionsApi } from "./connections.ts";
import { invokedFunctions } from "./identity.ts";
import { incomingMailArn } from "./mail/receiving.ts";
import type { DeploySettings } from "./settings.ts";

interface FindingsContext {
  bucket: IBucket;
  schedulesArns: readonly string[];
  wakeUpQueuesArn: string | undefined;
  connections: ConnectionsApi;
  settings: DeploySettings;
}

/** Accepts findings of cdk-nag's AWS Solutions pack, each with the reason; a test fails on any other finding. */
export function acknowledgeFindings(
  stack: Stack,
  { bucket, schedulesArns, wakeUpQueuesArn, connections, settings }: FindingsContext,
): void {
  const accept = (id: string, reason: string) =>
    Validations.of(stack).acknowledge({ id: `AwsSolutions-${id}`, reason });
  accept(
    "APIG4",
    "Each function authenticates its caller (shared/services/http/authenticate.ts): Zulip's clients send API keys as Basic auth, which no API Gateway authorizer supports.",
  );
  accept(
    "S1",
    "Files are served through functions, which log the request and the user, and through links that these functions signed; a log bucket would contain the signed links themselves.",
  );
  accept(
    "SMG4",
    "The operator rotates the secret when there is a reason (docs/operating.md): API keys in use continue to work after a change, but can no longer be shown.",
  );
  accept(
    "SQS3",
    "This queue is itself the dead-letter queue of schedules and of the functions that they run; both refer to it by ARN, which this rule does not follow.",
  );
  accept(
    "APIG1",
    "API Gateway writes access logs of a WebSocket API only in accounts for which somebody has set a role for it; the functions log each connection and each message themselves.",
  );
  for (const arn of schedulesArns) {
    accept(
      `IAM5[Resource::${flattenedArn(stack, arn)}]`,
      "Schedules are created at run time under names that a template cannot know; the schedule group belongs to this fleet alone.",
    );
  }
  if (wakeUpQueuesArn) {
    accept(
      `IAM5[Resource::${flattenedArn(stack, wakeUpQueuesArn)}]`,
      "Wake-up queues are created when clients register, under names that a template cannot know; the prefix belongs to this fleet alone.",
    );
  }
  accept(
    `IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${invokedFunctions(settings.name)}]`,
    "API Gateway invokes some two hundred functions, more than a policy can name; the prefix belongs to this fleet's functions with a route alone.",
  );
  for (const arn of connections.arns)
    accept(
      `IAM5[Resource::${flattenedArn(stack, arn)}]`,
      "Connections are opened at run time under IDs that a template cannot know; the WebSocket API belongs to this fleet alone.",
    );
  accept(
    `IAM5[Resource::${flattenedArn(stack, bucket.arnForObjects("*"))}]`,
    "Objects are created at run time under names that a template cannot know; the bucket belongs to this fleet alone.",
  );
  if (settings.mailDomain)
    accept(
      `IAM5[Resource::${flattenedArn(stack, incomingMailArn(bucket.arnForObjects("*")))}]`,
      "SES stores each email under a name of its own; it may write in this folder alone.",
    );
  if (settings.canaries)
    accept(
      "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]",
      "CodeDeploy's role moves the aliases of three functions; AWS's own policy for it names what it needs.",
    );
  if (settings.tracing)
    accept(
      "IAM5[Resource::*]",
      "AWS X-Ray's two actions cannot be restricted to a resource; they are granted only if the setting `tracing` is on.",
    );
}

type Part = string | { Ref: string } | { "Fn::GetAtt": [string, string] };

/** An ARN as cdk-nag shows it: references in angle brackets. */
function flattenedArn(stack: Stack, arn: string): string {
  const resolved = stack.resolve(arn);
  const parts: Part[] = typeof resolved === "string" ? [resolved] : resolved["Fn::Join"][1];
  return parts
    .map((part) => (typeof part === "string" ? part : `<${"Ref" in part ? part.Ref : part["Fn::GetAtt"].join(".")}>`))
    .join("");
}
