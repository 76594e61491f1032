import type { GroupSetting } from "../../base/schema/group-setting.ts";
import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { findGroupGraph } from "../../store/organization/groups.ts";
import { isPermitted, needsGraph, type PermissionHolder } from "./rules.ts";

/** Whether `holder` has at least one of several permissions. Costs at most one read. */
export async function hasAnyPermission(
  holder: PermissionHolder,
  values: readonly GroupSetting[],
  settings: Pick<RealmSettings, "waiting_period_threshold">,
): Promise<boolean> {
  const graph = values.some(needsGraph) ? await findGroupGraph() : { subgroups: {} };
  return values.some((value) => isPermitted(holder, value, graph, settings.waiting_period_threshold));
}
