import type { RealmSettings } from "../organization/settings.ts";
import { findGroupGraph } from "../store/groups.ts";
import { type Holder, holds, needsGraph } from "./rules.ts";
import type { GroupSetting } from "./values.ts";

/** Whether `holder` has the permission `value`: no read for system groups, one for all others, however they nest. */
export async function hasPermission(
  holder: Holder,
  value: GroupSetting,
  settings: Pick<RealmSettings, "waiting_period_threshold">,
): Promise<boolean> {
  const graph = needsGraph(value) ? await findGroupGraph() : { subgroups: {} };
  return holds(holder, value, graph, settings.waiting_period_threshold);
}
