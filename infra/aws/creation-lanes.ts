import type { NestedStack } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * How many of the fleet's nested stacks are created at a time. API Gateway's control plane allows an account ten operations a
 * second, in bursts of 40, and CloudFormation fails a stack that is throttled for long.
 */
const laneCount = 10;

/** Orders the creation of routes: the stacks that have any form lanes, in which each stack waits for the one before it. */
export class CreationLanes {
  readonly #lanes = Array.from({ length: laneCount }, () => ({
    routeCount: 0,
    last: undefined as NestedStack | undefined,
  }));

  /** Appends a stack to the lane with the fewest routes, in which it waits least. */
  add(stack: NestedStack, routeCount: number): void {
    const [shortest] = this.#lanes.toSorted((a, b) => a.routeCount - b.routeCount);
    if (!shortest || routeCount === 0) return;
    if (shortest.last) stack.addStackDependency(shortest.last);
    shortest.last = stack;
    shortest.routeCount += routeCount;
  }
}

/** Lets the routes of a stack be created one after another; their functions do not wait. */
export function createInOrder(routes: readonly Construct[]): void {
  for (const [index, route] of routes.entries()) {
    const previous = routes[index - 1];
    if (previous) route.node.addDependency(previous);
  }
}
