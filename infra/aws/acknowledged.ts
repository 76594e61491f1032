import { Names, Stack, Validations } from "aws-cdk-lib";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { DeploySettings } from "./settings.ts";

interface Acknowledged {
  bucket: IBucket;
  schedulesArns: readonly string[];
  wakeUpQueuesArn: string | undefined;
  settings: DeploySettings;
}

/** What cdk-nag's AWS Solutions pack finds in the stack and why it stands; anything else that it finds fails a test. */
export function acknowledgeFindings(
  stack: Stack,
  { bucket, schedulesArns, wakeUpQueuesArn, settings }: Acknowledged,
): void {
  const accept = (id: string, reason: string) =>
    Validations.of(stack).acknowledge({ id: `AwsSolutions-${id}`, reason });
  accept(
    "APIG4",
    "Each function authenticates its caller (shared/http/authenticate.ts): API keys of Zulip's clients come by Basic auth, which no authorizer of API Gateway reads.",
  );
  accept(
    "S1",
    "Files are reached through functions, whose log names request and user, and by links that these signed; a second bucket of logs would hold the links themselves.",
  );
  accept(
    "SMG4",
    "The operator replaces it when there is a reason (docs/operating.md): with another secret keys that are in use work on, but can no more be told.",
  );
  accept(
    "SQS3",
    "The queue is itself the dead-letter queue of schedules and of functions that run by them; both name it by ARN, where this rule does not look.",
  );
  for (const arn of schedulesArns) {
    accept(
      `IAM5[Resource::${flat(stack, arn)}]`,
      "Schedules are made at run time, by names that no template can know; the group is the fleet's own.",
    );
  }
  if (wakeUpQueuesArn) {
    accept(
      `IAM5[Resource::${flat(stack, wakeUpQueuesArn)}]`,
      "Wake-up queues are created when clients register, under names that no template can know; the prefix is the fleet's own.",
    );
  }
  accept(
    `IAM5[Resource::${objectsOf(bucket)}]`,
    "Objects are made at run time, by names that no template can know; the bucket is the fleet's own.",
  );
  if (settings.tracing)
    accept("IAM5[Resource::*]", "AWS X-Ray's two actions take no resource; only the setting tracing asks for them.");
}

/** An ARN as cdk-nag shows it: references in angle brackets. */
function flat(stack: Stack, arn: string): string {
  const resolved = stack.resolve(arn);
  const parts: unknown[] = typeof resolved === "string" ? [resolved] : resolved["Fn::Join"][1];
  return parts.map((part) => (typeof part === "string" ? part : `<${(part as { Ref: string }).Ref}>`)).join("");
}

/** In a nested stack the bucket's ARN is a parameter, named for what it refers to. */
const objectsOf = (bucket: IBucket): string =>
  bucket.node.defaultChild
    ? `<referenceto${Names.nodeUniqueId(bucket.node.defaultChild.node)}Arn>/*`
    : `${flat(Stack.of(bucket), bucket.bucketArn)}/*`;
