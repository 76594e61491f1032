import { NestedStack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Folders } from "../build/bundle.ts";
import { type FleetMember, fleetFor, isFallback, pathOf, refusedRoutes } from "../fleet.ts";
import { checkQueues, functionArnVariable } from "../queues.ts";
import { ConnectionFunction } from "./connections.ts";
import { CoreStack } from "./core-stack.ts";
import { EndpointFunction, refusedRoute } from "./endpoint-function.ts";
import { FollowerFunction } from "./follower-function.ts";
import { createInOrder, memberId, routeId, stackCount, stackIndexOf } from "./identity.ts";
import { RecurringFunction } from "./recurring-function.ts";
import type { DeploySettings } from "./settings.ts";
import { EventsHostRoute, eventsPath, WakeUpRoutes } from "./wake-up-routes.ts";
import { WorkerFunction } from "./worker-function.ts";

/** The whole fleet: the core stack, with its functions in nested stacks. */
export function fleetStacks(
  scope: Construct,
  allMembers: readonly FleetMember[],
  { folderOf }: Folders,
  settings: DeploySettings,
  props: StackProps = {},
): CoreStack {
  const fleet = fleetFor(allMembers, settings.waiting);
  checkQueues(fleet);
  const core = new CoreStack(scope, fleet, settings, props);
  const { api, alarms, logs, shared } = core;
  // In the order of their names, because routes wait for those before them.
  const members = (settings.drill ? fleet.flatMap(drillMember) : fleet).toSorted((a, b) =>
    memberId(a) < memberId(b) ? -1 : 1,
  );
  const commonOf = (member: FleetMember) => ({ folder: folderOf(member), shared, logs, settings });
  // Nested stacks refer to its integration, so it is in the stack that they all wait for.
  const fallback = members.find(isFallback);
  const unknownRoute = fallback && new EndpointFunction(core, { ...commonOf(fallback), member: fallback, api, alarms });
  const refused = unknownRoute ? refusedRoutes(fleet) : [];
  for (let index = 0; index < stackCount; index++) {
    const isHere = (id: string) => stackIndexOf(id) === index;
    const ownMembers = members.filter((member) => member !== fallback && isHere(memberId(member)));
    const ownRefused = refused.filter((route) => isHere(routeId(route)));
    if (ownMembers.length + ownRefused.length === 0) continue;
    const stack = new NestedStack(core, `Functions-${index}`);
    const routes: Construct[] = [];
    for (const member of ownMembers) {
      const common = commonOf(member);
      if (member.kind === "worker") {
        const queue = core.queues.get(member.spec.queue)?.queue;
        if (!queue) throw new Error(`There is no queue ${member.spec.queue}`);
        new WorkerFunction(stack, { ...common, member, queue });
      } else if (member.kind === "follower") {
        if (!core.streamArn) throw new Error(`${member.name} follows the log, and the table has no stream`);
        new FollowerFunction(stack, { ...common, member, streamArn: core.streamArn, alarms });
      } else if (member.kind === "recurring") {
        const { functionArn } = new RecurringFunction(stack, {
          ...common,
          ...{ member, schedules: core.schedules, alarms },
        });
        core.outputVariable(functionArnVariable(member.spec.work), functionArn);
      } else if (member.kind === "connection") {
        new ConnectionFunction(stack, { ...common, member, api: core.connections.api });
      } else if (settings.waiting === "host" && isEventsPoll(member)) {
        // `npm run serve` runs this endpoint, so no function is deployed for it.
        routes.push(new EventsHostRoute(stack, memberId(member), api, settings.eventsHost).route);
      } else routes.push(new EndpointFunction(stack, { ...common, member, api, alarms }).route);
    }
    for (const route of ownRefused) routes.push(refusedRoute(stack, route, api, unknownRoute?.target));
    createInOrder(routes);
  }
  if (core.shared.wakeUpQueues) new WakeUpRoutes(core, core.api, core.shared.wakeUpQueues);
  return core;
}

/**
 * A function as it is in a drill: none that runs by itself, and of the others those that neither create schedules nor write files.
 * Jobs that they send stay in the queues.
 */
function drillMember(member: FleetMember): FleetMember[] {
  if (member.kind === "worker" || member.kind === "follower" || member.kind === "recurring") return [];
  const { email, schedules, files, ...uses } = member.spec.uses;
  return [{ ...member, spec: { ...member.spec, uses: { ...uses, ...(files && { files: "read" }) } } } as FleetMember];
}

const isEventsPoll = (member: FleetMember) =>
  member.kind === "endpoint" && member.spec.method === "GET" && pathOf(member.spec) === eventsPath;
