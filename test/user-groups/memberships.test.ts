import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogEvent, LogEventOf } from "../../shared/schema/event-types.ts";
import { changesMemberships, type Memberships, membershipsAfter } from "../../shared/user-groups/memberships.ts";
import type { GroupObject } from "../../shared/user-groups/wire.ts";

/** A user's groups and the nesting of groups, derived from the log. */

const user = 7;
const [nobodysGroup, first] = [3, 20];

/** Valid sequences of changes: existing memberships end, and new ones begin. */
function history(choices: readonly number[]) {
  const there = new Set<string>();
  const entries = choices.map((choice) => {
    const group_id = first + (choice % 3);
    const subgroup = first + 3 + (Math.floor(choice / 3) % 2);
    const isMembership = choice % 2 === 0;
    const key = isMembership ? `${group_id}` : `${group_id}>${subgroup}`;
    const begins = !there.has(key);
    if (begins) there.add(key);
    else there.delete(key);
    const event: LogEventOf<"user_group"> = isMembership
      ? { type: "user_group", op: begins ? "add_members" : "remove_members", group_id, user_ids: [1, user] }
      : {
          type: "user_group",
          op: begins ? "add_subgroups" : "remove_subgroups",
          group_id,
          direct_subgroup_ids: [subgroup],
        };
    return { event, change: { begins, group_id, sub: isMembership ? undefined : subgroup } };
  });
  return entries;
}

/** The state of the store after the first `count` changes. */
function stored(entries: ReturnType<typeof history>, count: number): Memberships {
  const groupIds = new Set<number>();
  const subgroups: Record<string, number[]> = {};
  for (const { change } of entries.slice(0, count)) {
    const { begins, group_id, sub } = change;
    if (!sub) {
      if (begins) groupIds.add(group_id);
      else groupIds.delete(group_id);
    } else {
      const others = (subgroups[group_id] ?? []).filter((id) => id !== sub);
      subgroups[group_id] = begins ? [...others, sub] : others;
    }
  }
  return { groupIds, subgroups };
}

const flat = ({ groupIds, subgroups }: Memberships) => ({
  groupIds: [...groupIds].sort(),
  subgroups: Object.entries(subgroups)
    .flatMap(([id, inside]) => inside.map((sub) => `${id}>${sub}`))
    .sort(),
});

test("memberships at each change are the same whenever the state was read", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(11), { maxLength: 12 }), fc.nat(12), fc.nat(12), (choices, at, readAt) => {
      const entries = history(choices);
      const known = stored(entries, Math.min(readAt, entries.length));
      const count = Math.min(at, entries.length);

      expect(flat(membershipsAfter(count, entries, user, known))).toEqual(flat(stored(entries, count)));
    }),
  );
});

test("memberships without log events are as read, and events about others do not count", () => {
  const joins = (group_id: number, user_ids: number[]): { event: LogEvent } => ({
    event: { type: "user_group", op: "add_members", group_id, user_ids },
  });
  const [others, ofRoles] = [joins(first, [1, 2]), joins(nobodysGroup, [user])];
  const known = { groupIds: new Set([30]), subgroups: { 30: [31] } };

  expect(
    membershipsAfter(2, [others, ofRoles, { event: { type: "message", message_id: 1 } }, {}], user, known),
  ).toEqual(known);
  expect([others, ofRoles].map((entry) => changesMemberships(entry, user))).toEqual([false, false]);
});

test("memberships include a new group and its subgroups, and the new group's event does not count as a change of memberships", () => {
  const group = { id: first, members: [user], direct_subgroup_ids: [first + 3] } as GroupObject;
  const entry: { event: LogEvent } = { event: { type: "user_group", op: "add", group } };
  const noMemberships = { groupIds: new Set<number>(), subgroups: {} };

  expect(membershipsAfter(1, [entry], user, noMemberships)).toEqual({
    groupIds: new Set([first]),
    subgroups: { [first]: [first + 3] },
  });
  expect(changesMemberships(entry, user)).toBe(false);
});
