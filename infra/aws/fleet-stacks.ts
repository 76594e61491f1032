import { NestedStack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Bundles } from "../bundle.ts";
import type { Member } from "../fleet.ts";
import { checkQueues } from "../queues.ts";
import { CoreStack } from "./core-stack.ts";
import { EndpointFunction } from "./endpoint-function.ts";
import type { DeploySettings } from "./settings.ts";
import { WorkerFunction } from "./worker-function.ts";

/** The whole fleet: the core stack, and in it one nested stack for each resource folder. */
export function fleetStacks(
  scope: Construct,
  fleet: readonly Member[],
  { folderOf }: Pick<Bundles, "folderOf">,
  settings: DeploySettings,
  props: StackProps = {},
): CoreStack {
  checkQueues(fleet);
  const core = new CoreStack(scope, fleet, settings, props);
  for (const [resource, members] of Map.groupBy(fleet, (member) => member.resource)) {
    const stack = new NestedStack(core, resource);
    for (const member of members) {
      const common = { folder: folderOf(member), shared: core.shared, settings };
      if (member.kind === "worker") {
        const { queue } = core.queues.get(member.spec.job.queue)!;
        new WorkerFunction(stack, { ...common, member, queue, schedules: core.schedules });
      } else {
        new EndpointFunction(stack, { ...common, member, api: core.api });
      }
    }
  }
  return core;
}
