import type { Stack } from "aws-cdk-lib";
import { CfnRule } from "aws-cdk-lib/aws-events";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from "aws-cdk-lib/aws-ses";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { stopMailsJob } from "../../../shared/features/settings/jobs.ts";
import type { DeadLetterQueue } from "../job-queues.ts";

const complainedRecipient = "$.detail.complaint.complainedRecipients[0].emailAddress";
const suppressed = "OnAccountSuppressionList";
/** Matches a field with another value or none. Mail servers need not say what kind of complaint theirs is. */
const otherThan = (...values: string[]) => [{ "anything-but": values }, { exists: false }];

/** What SES reports: the event's type and condition for EventBridge, and where it has the recipient. Each mail has one recipient. */
const reports = [
  {
    reason: "bounce",
    detailType: "Email Bounced",
    // Not of a full mailbox or a server that is down.
    condition: { bounce: { bounceType: ["Permanent"] } },
    recipient: "$.detail.bounce.bouncedRecipients[0].emailAddress",
  },
  {
    reason: "complaint",
    detailType: "Email Complaint Received",
    condition: {
      complaint: {
        // A reader's "not spam" is a complaint too, and so is a server's report on DKIM or SPF.
        complaintFeedbackType: otherThan("not-spam", "auth-failure"),
        complaintSubType: otherThan(suppressed),
      },
    },
    recipient: complainedRecipient,
  },
  {
    // Of a mail that SES did not send, because the recipient has complained before.
    reason: "suppressed",
    detailType: "Email Complaint Received",
    condition: { complaint: { complaintSubType: [suppressed] } },
    recipient: complainedRecipient,
  },
];

/**
 * Has SES report mails of the fleet that were returned for good or reported as spam, through EventBridge, as jobs in a queue that is
 * polled anyway. Returns the name of the configuration set with which the fleet sends.
 */
export function mailFeedback(stack: Stack, queue: Queue, deadLetters: DeadLetterQueue, fleet: string): string {
  const scope = new Construct(stack, "Mail-feedback");
  const name = `${fleet}-mail`;
  const set = new CfnConfigurationSet(scope, "Configuration-set", {
    name,
    // Whoever turns mails on again wants SES to try again, which it would not at an address of the account's list of returned mails.
    suppressionOptions: { suppressedReasons: ["COMPLAINT"] },
  });
  new CfnConfigurationSetEventDestination(scope, "Events", {
    configurationSetName: name,
    eventDestination: {
      name: "feedback",
      enabled: true,
      matchingEventTypes: ["BOUNCE", "COMPLAINT"],
      eventBridgeDestination: {
        eventBusArn: stack.formatArn({ service: "events", resource: "event-bus", resourceName: "default" }),
      },
    },
  }).node.addDependency(set);
  const ruleArns = reports.map(({ reason, detailType, condition, recipient }) => {
    const job = `{"kind":"${stopMailsJob.name}","job":{"id":<id>,"address":<address>,"reason":"${reason}"}}`;
    const rule = new CfnRule(scope, reason, {
      eventPattern: {
        source: ["aws.ses"],
        "detail-type": [detailType],
        // Of this fleet's mails only.
        detail: { ...condition, mail: { tags: { "ses:configuration-set": [name] } } },
      },
      targets: [
        {
          id: "jobs",
          arn: queue.queueArn,
          inputTransformer: {
            inputPathsMap: { id: "$.detail.mail.messageId", address: recipient },
            inputTemplate: job,
          },
          deadLetterConfig: { arn: deadLetters.queueArn },
        },
      ],
    });
    return rule.attrArn;
  });
  for (const target of [queue, deadLetters])
    target.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("events.amazonaws.com")],
        actions: ["sqs:SendMessage"],
        resources: [target.queueArn],
        conditions: { ArnEquals: { "aws:SourceArn": ruleArns } },
      }),
    );
  return name;
}
