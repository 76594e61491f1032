import { NestedStack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { functionArnVariable } from "../../shared/services/jobs/recurring.ts";
import type { Folders } from "../build/bundle.ts";
import { type FleetMember, fleetFor, isConnection } from "../fleet.ts";
import { checkQueues, isQueued, isUnconfigured, startedWorksOf, withAwsQueues } from "../queues.ts";
import { ConnectionFunction, createInOrder } from "./connections.ts";
import { CoreStack } from "./core-stack.ts";
import { EndpointFunction } from "./endpoint-function.ts";
import { FollowerFunction } from "./follower-function.ts";
import { FunctionRoles } from "./function-roles.ts";
import { memberId, stackCount, stackIndexOf, startedFunctionName } from "./identity.ts";
import { MailFunction, mailRule } from "./mail/receiving.ts";
import { RecurringFunction } from "./recurring-function.ts";
import type { DeploySettings } from "./settings.ts";
import { isEventsPoll } from "./waiting-routes.ts";
import { WorkerFunction } from "./worker-function.ts";

/** The whole fleet: the core stack, with its functions in nested stacks. */
export function fleetStacks(
  scope: Construct,
  allMembers: readonly FleetMember[],
  { folderOf }: Folders,
  settings: DeploySettings,
  props: StackProps = {},
): CoreStack {
  // In the order of their names, so that a moved file changes no template.
  const declared = fleetFor(allMembers, settings.waiting).toSorted((a, b) => (memberId(a) < memberId(b) ? -1 : 1));
  checkQueues(declared);
  const fleet = withAwsQueues(declared);
  const core = new CoreStack(scope, fleet, settings, props);
  const { apiId, alarms, logs, shared } = core;
  const roles = new FunctionRoles(core, shared, logs, settings);
  const started = new Set(startedWorksOf(fleet));
  const members = settings.drill ? fleet.flatMap(drillMember) : fleet;
  const commonOf = (member: FleetMember) => ({ folder: folderOf(member), shared, roles, logs, settings });
  const connections = members
    .filter(isConnection)
    .map((member) => new ConnectionFunction(core, { ...commonOf(member), member, api: core.connections.api }));
  createInOrder(core.connections, connections);
  for (let index = 0; index < stackCount; index++) {
    const ownMembers = members.filter((member) => !isConnection(member) && stackIndexOf(memberId(member)) === index);
    if (ownMembers.length === 0) continue;
    const stack = new NestedStack(core, `Functions-${index}`);
    for (const member of ownMembers) {
      const common = commonOf(member);
      if (member.kind === "worker" && !isQueued(member)) {
        if (isUnconfigured(member.spec, settings.services)) continue;
        const { fn } = new MailFunction(stack, { ...common, member, deadLetters: core.schedules.deadLetters });
        core.outputVariable(functionArnVariable(member.name), fn.functionArn);
        // Emulators do not receive mail.
        if (!settings.emulator) core.outputVariable("MAIL_RULE_SET", mailRule(core, fn, shared, settings));
      } else if (member.kind === "worker") {
        const queue = core.queues.get(member.spec.queue)?.queue;
        if (!queue) throw new Error(`There is no queue ${member.spec.queue}`);
        new WorkerFunction(stack, { ...common, member, queue });
      } else if (member.kind === "follower") {
        if (!core.streamArn) throw new Error(`${member.name} follows the log, and the table has no stream`);
        new FollowerFunction(stack, { ...common, member, streamArn: core.streamArn, alarms });
      } else if (member.kind === "recurring") {
        const { functionArn } = new RecurringFunction(stack, {
          ...common,
          ...{ member, schedules: core.schedules },
          ...(started.has(member.spec.work) && { functionName: startedFunctionName(settings.name, member.spec.work) }),
        });
        core.outputVariable(functionArnVariable(member.spec.work), functionArn);
      } else if (!isConnection(member) && (settings.waiting !== "host" || !isEventsPoll(member)))
        // `npm run serve` runs the other one, so no function is deployed for it.
        new EndpointFunction(stack, { ...common, member, apiId });
    }
  }
  return core;
}

/**
 * A function as it is in a drill: none that runs by itself, and of the others those that neither create schedules nor write files.
 * Jobs that they send stay in the queues.
 */
function drillMember(member: FleetMember): FleetMember[] {
  if (member.kind === "worker" || member.kind === "follower" || member.kind === "recurring") return [];
  const { email, schedules, starts, files, ...uses } = member.spec.uses;
  return [{ ...member, spec: { ...member.spec, uses: { ...uses, ...(files && { files: "read" }) } } } as FleetMember];
}
