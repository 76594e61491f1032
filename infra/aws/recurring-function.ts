import { Duration, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { EventInvokeConfig } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import { Construct } from "constructs";
import { recurringInput } from "../../shared/services/jobs/recurring.ts";
import type { RecurringMember } from "../fleet.ts";
import { isUnconfigured } from "../queues.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { keyStatements } from "./grants.ts";
import { memberId } from "./identity.ts";
import type { Schedules } from "./schedules.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb" | "temporaryMb" | "triggerPermission"> & {
  member: RecurringMember;
  schedules: Schedules;
};

/** Recurring work on AWS: its function, and the schedule that runs it, with a role of its own. */
export class RecurringFunction extends Construct {
  readonly functionArn: string;

  constructor(scope: Construct, { schedules, ...props }: Props) {
    super(scope, memberId(props.member));
    const { spec } = props.member;
    const { deadLetters, groupName } = schedules;
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: spec.timeoutSeconds ?? 30,
      ...{ memoryMb: spec.memoryMb, temporaryMb: spec.temporaryMb },
      ...(!spec.countsFailures && {
        triggerPermission: new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [deadLetters.queueArn] }),
      }),
    });
    this.functionArn = fn.functionArn;
    const failures = new EventInvokeConfig(this, "Retries", {
      function: fn,
      maxEventAge: Duration.hours(1),
      ...(spec.countsFailures
        ? { retryAttempts: 0 }
        : { retryAttempts: 2, onFailure: new SqsDestination(deadLetters) }),
    });
    // Lambda rejects the destination until the role may send to it.
    if (fn.role) failures.node.addDependency(fn.role);
    const role = new Role(this, "Schedule-role", {
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
      inlinePolicies: {
        run: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [fn.functionArn] }),
            new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [deadLetters.queueArn] }),
            ...keyStatements(props.shared.keyArn),
          ],
        }),
      },
    });
    new CfnSchedule(this, "Recurrence", {
      groupName,
      state: isUnconfigured(spec, props.settings.services) ? "DISABLED" : "ENABLED",
      scheduleExpression: `rate(${spec.rate})`,
      flexibleTimeWindow: { mode: "OFF" },
      target: {
        arn: fn.functionArn,
        roleArn: role.roleArn,
        input: recurringInput,
        retryPolicy: { maximumEventAgeInSeconds: 600, maximumRetryAttempts: 20 },
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
  }
}
