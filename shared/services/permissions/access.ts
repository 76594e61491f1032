import type { GroupSetting } from "../../base/schema/group-setting.ts";
import type { RealmSettings } from "../../base/schema/organization-settings.ts";
import { findGroupGraph } from "../../store/organization/groups.ts";
import { isPermitted, needsGraph, type PermissionHolder } from "./rules.ts";

type WaitingPeriodSetting = Pick<RealmSettings, "waiting_period_threshold">;

/** Whether `value` includes `holder`; costs no read for system groups, one for custom groups at any depth. */
export async function hasPermission(
  holder: PermissionHolder,
  value: GroupSetting,
  settings: WaitingPeriodSetting,
): Promise<boolean> {
  const graph = needsGraph(value) ? await findGroupGraph() : { subgroups: {} };
  return isPermitted(holder, value, graph, settings.waiting_period_threshold);
}

/** Whether a group-setting value includes a given user. */
export type HasPermission = (value: GroupSetting) => boolean;

/** Loads a predicate for any of `values` and one holder, with at most one read for all of them. */
export async function loadPermissions(
  holder: PermissionHolder,
  values: Iterable<GroupSetting>,
  settings: WaitingPeriodSetting,
): Promise<HasPermission> {
  const graph = [...values].some(needsGraph) ? await findGroupGraph() : { subgroups: {} };
  return (value) => isPermitted(holder, value, graph, settings.waiting_period_threshold);
}
