import type { User, UserGroup } from "../model.ts";
import { flag } from "../readers.ts";
import { groupOf, presenceOf, statusOf, userOf } from "../records.ts";
import { type EventOf, type Handler, type Handlers, updatedMap, without } from "./handler.ts";

/** Events about people: accounts, groups, presence and status. */

type Change = Extract<EventOf<"realm_user">, { op: "update" }>["person"];

/** Sets or removes the value of a profile field. */
function withField(
  data: User["profile_data"],
  { id, value, rendered_value }: Extract<Change, { custom_profile_field: unknown }>["custom_profile_field"],
): User["profile_data"] {
  const { [id]: _, ...others } = data;
  if (value === null) return others;
  return { ...others, [id]: { value, ...(rendered_value !== undefined && { rendered_value }) } };
}

const updateUsers: Handler<"realm_user"> = (state, event) => {
  const { person } = event;
  if (event.op === "add") return { ...state, users: new Map(state.users).set(person.user_id, userOf(person, true)) };
  if (event.op === "remove") return { ...state, users: without(state.users, [person.user_id]) };
  return {
    ...state,
    // Nobody is shown the presence of somebody who is deactivated.
    presences:
      "is_active" in person && !person.is_active ? without(state.presences, [person.user_id]) : state.presences,
    users: updatedMap(state.users, person.user_id, (user) => {
      const changed = {
        ...user,
        ...person,
        ...("new_email" in person && { email: person.new_email }),
        ...("custom_profile_field" in person && {
          profile_data: withField(user.profile_data, person.custom_profile_field),
        }),
      };
      return userOf(changed, flag(changed.is_active));
    }),
  };
};

const updateGroups: Handler<"user_group"> = (state, event) => {
  if (event.op === "add") return { ...state, groups: new Map(state.groups).set(event.group.id, groupOf(event.group)) };
  const change = (patch: (group: UserGroup) => object) => ({
    ...state,
    groups: updatedMap(state.groups, event.group_id, (group) => groupOf({ ...group, ...patch(group) })),
  });
  const union = (ids: number[], newIds: number[]) => [...new Set([...ids, ...newIds])];
  const difference = (ids: number[], removedIds: number[]) => ids.filter((id) => !removedIds.includes(id));
  switch (event.op) {
    case "update":
      return change(() => event.data);
    case "add_members":
      return change(({ members }) => ({ members: union(members, event.user_ids) }));
    case "remove_members":
      return change(({ members }) => ({ members: difference(members, event.user_ids) }));
    case "add_subgroups":
      return change(({ direct_subgroup_ids: ids }) => ({ direct_subgroup_ids: union(ids, event.direct_subgroup_ids) }));
    case "remove_subgroups":
      return change(({ direct_subgroup_ids: ids }) => ({
        direct_subgroup_ids: difference(ids, event.direct_subgroup_ids),
      }));
    case "remove":
      return { ...state, groups: without(state.groups, [event.group_id]) };
    default:
      return state;
  }
};

export const peopleHandlers: Handlers = {
  realm_user: updateUsers,
  user_group: updateGroups,
  presence: (state, event) => {
    const presences = new Map(state.presences);
    for (const [id, presence] of Object.entries("presences" in event ? event.presences : {}))
      presences.set(Number(id), presenceOf(presence));
    return { ...state, presences };
  },
  user_status: (state, event) => {
    const before = state.statuses.get(event.user_id);
    const status = statusOf({ ...before, ...event });
    const statuses = new Map(state.statuses);
    if (status.status_text === "" && status.emoji_name === "") statuses.delete(event.user_id);
    else statuses.set(event.user_id, status);
    return { ...state, statuses };
  },
};
