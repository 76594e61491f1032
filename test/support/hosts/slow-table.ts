import { setTimeout as pause } from "node:timers/promises";
import { observeTableCalls } from "../../../shared/base/table-port/observe.ts";

/**
 * Loaded with `--import` into a host: each call to the table takes 20 ms more, so that the order in which concurrent calls end, which
 * decides about the number of stages, does not depend on how busy the machine is.
 */
observeTableCalls(async (_, proceed) => {
  await pause(20);
  return proceed();
});
