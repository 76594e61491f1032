import {
  bool,
  int,
  list,
  literal,
  optional,
  partial,
  strictObject,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { groupObject, groupSettingFields } from "./wire.ts";

const type = literal("user_group");
const group_id = int();
const update = {
  type,
  op: literal("update"),
  group_id,
  data: strictObject(partial({ name: text(), description: text(), deactivated: bool(), ...groupSettingFields })),
};
const addMembers = { type, op: literal("add_members"), group_id, user_ids: list(int()) };
const commonEvents = [
  strictObject({ type, op: literal("add"), group: groupObject }),
  strictObject({ type, op: literal("remove_members"), group_id, user_ids: list(int()) }),
  strictObject({ type, op: literal("add_subgroups"), group_id, direct_subgroup_ids: list(int()) }),
  strictObject({ type, op: literal("remove_subgroups"), group_id, direct_subgroup_ids: list(int()) }),
];

/** Events about user groups; clients without support for deactivated groups receive a deactivation as `remove`. */
export const userGroupEvents = [
  ...commonEvents,
  strictObject(addMembers),
  strictObject(update),
  strictObject({ type, op: literal("remove"), group_id }),
];

/**
 * In the log, a reactivation contains the whole group, as some clients receive it as a new one. `waited_days`: of new full members,
 * the waiting period that has ended. Clients also get the channels that become visible by it.
 */
export const loggedGroupEvents = [
  ...commonEvents,
  strictObject({ ...addMembers, waited_days: optional(int()) }),
  strictObject({ ...update, group: optional(groupObject) }),
];
export type LoggedGroupEvent = Value<(typeof loggedGroupEvents)[number]>;

declare module "../../base/schema/event-types.ts" {
  interface LogEvents {
    user_group: LoggedGroupEvent;
  }
  interface ClientEvents {
    user_group: Value<(typeof userGroupEvents)[number]>;
  }
}
