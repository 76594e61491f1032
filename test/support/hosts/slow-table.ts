import { setTimeout as pause } from "node:timers/promises";
import { observeAwsCalls } from "../../../shared/aws/observe.ts";

/**
 * Loaded with `--import` into a host: each call to the table takes 20 ms more, so that the order in which concurrent calls end, which
 * decides about the number of stages, does not depend on how busy the machine is.
 */
observeAwsCalls(async ({ client }, proceed) => {
  if (client === "DynamoDBClient") await pause(20);
  return proceed();
});
