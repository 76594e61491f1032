import type { RealmSettings } from "../organization/settings.ts";
import { findGroupGraph } from "../store/groups.ts";
import { type Holder, holds, needsGraph } from "./rules.ts";
import type { GroupSetting } from "./values.ts";

/** Whether `holder` has one of several permissions; one read at most. */
export async function hasAnyPermission(
  holder: Holder,
  values: readonly GroupSetting[],
  settings: Pick<RealmSettings, "waiting_period_threshold">,
): Promise<boolean> {
  const graph = values.some(needsGraph) ? await findGroupGraph() : { subgroups: {} };
  return values.some((value) => holds(holder, value, graph, settings.waiting_period_threshold));
}
