import type { RealmSettings } from "../organization/settings.ts";
import { findGroupGraph } from "../store/groups.ts";
import { type Holder, holds, needsGraph } from "./rules.ts";
import type { GroupSetting } from "./values.ts";

type Waiting = Pick<RealmSettings, "waiting_period_threshold">;

/** Whether `holder` has the permission `value`: no read for system groups, one for all others, however they nest. */
export async function hasPermission(holder: Holder, value: GroupSetting, settings: Waiting): Promise<boolean> {
  const graph = needsGraph(value) ? await findGroupGraph() : { subgroups: {} };
  return holds(holder, value, graph, settings.waiting_period_threshold);
}

/** Says of a permission whether somebody has it. */
export type Holds = (value: GroupSetting) => boolean;

/** Decides about any of `values` for one holder, with one read for all of them at most. */
export async function permissionsAmong(
  holder: Holder,
  values: Iterable<GroupSetting>,
  settings: Waiting,
): Promise<Holds> {
  const graph = [...values].some(needsGraph) ? await findGroupGraph() : { subgroups: {} };
  return (value) => holds(holder, value, graph, settings.waiting_period_threshold);
}
