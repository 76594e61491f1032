import { NestedStack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Folders } from "../build/bundle.ts";
import { type FleetMember, fleetFor, pathOf, refusedRoutes } from "../fleet.ts";
import { checkQueues, functionArnVariable } from "../queues.ts";
import { ConnectionFunction } from "./connections.ts";
import { CoreStack } from "./core-stack.ts";
import { CreationLanes, createInOrder } from "./creation-lanes.ts";
import { EndpointFunction } from "./endpoint-function.ts";
import { FollowerFunction } from "./follower-function.ts";
import { RecurringFunction } from "./recurring-function.ts";
import type { DeploySettings } from "./settings.ts";
import { EventsHostRoute, eventsPath, WakeUpRoutes } from "./wake-up-routes.ts";
import { WorkerFunction } from "./worker-function.ts";

/** The whole fleet: the core stack, with one nested stack for each resource folder. */
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
  const lanes = new CreationLanes();
  const deployed = settings.drill ? fleet.flatMap(drillMember) : fleet;
  for (const [resource, members] of Map.groupBy(deployed, (member) => member.resource)) {
    const stack = new NestedStack(core, resource);
    const routes: Construct[] = [];
    for (const member of members) {
      const common = { folder: folderOf(member), shared: core.shared, settings };
      if (member.kind === "worker") {
        const queue = core.queues.get(member.spec.queue)?.queue;
        if (!queue) throw new Error(`There is no queue ${member.spec.queue}`);
        new WorkerFunction(stack, { ...common, member, queue });
      } else if (member.kind === "follower") {
        if (!core.streamArn) throw new Error(`${member.name} follows the log, and the table has no stream`);
        new FollowerFunction(stack, { ...common, member, streamArn: core.streamArn, alarms: core.alarms });
      } else if (member.kind === "recurring") {
        const { functionArn } = new RecurringFunction(stack, {
          ...common,
          ...{ member, schedules: core.schedules, alarms: core.alarms },
        });
        core.outputVariable(functionArnVariable(member.spec.work), functionArn);
      } else if (member.kind === "connection") {
        new ConnectionFunction(stack, { ...common, member, api: core.connections.api });
      } else if (settings.waiting === "host" && isEventsPoll(member)) {
        // `npm run serve` runs this endpoint, so no function is deployed for it.
        routes.push(new EventsHostRoute(stack, member.name, core.api, settings.eventsHost).route);
      } else {
        const otherRoutes = member.kind === "fallback" ? refusedRoutes(fleet) : [];
        const { api, alarms } = core;
        routes.push(...new EndpointFunction(stack, { ...common, member, api, alarms, otherRoutes }).routes);
      }
    }
    createInOrder(routes);
    lanes.add(stack, routes.length);
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
