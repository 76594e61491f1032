import { setTimeout as pause } from "node:timers/promises";
import { type DeployedStack, findStack } from "./deployed-stack.ts";

/** A stack in review has a change set that nobody executed; it can be changed. */
const isBeingChanged = ({ status }: DeployedStack) => /_IN_PROGRESS$/.test(status) && status !== "REVIEW_IN_PROGRESS";

/**
 * Finds the stack `name` when nothing is at work on it. CloudFormation continues what it has begun when its client ends, for example when
 * a deployment is interrupted, and refuses to change the stack until it has finished.
 */
export async function findSettledStack(
  name: string,
  find: typeof findStack = findStack,
  pollMs = 2_000,
): Promise<DeployedStack | undefined> {
  let stack = await find(name);
  if (stack && isBeingChanged(stack))
    console.log(`CloudFormation is still changing ${name} (${stack.status}). Waiting until it has finished ...`);
  while (stack && isBeingChanged(stack)) {
    await pause(pollMs);
    stack = await find(name);
  }
  return stack;
}
