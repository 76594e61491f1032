import { expect, test } from "vitest";
import type { LogEvent, LogEventOf } from "../../shared/base/schema/event-types.ts";
import { type Memberships, mayChangePermissions, membershipsAfter } from "../../shared/core/user-groups/memberships.ts";
import type { GroupObject } from "../../shared/core/user-groups/wire.ts";
import { fc } from "../support/random.ts";

/** A user's groups and the nesting of groups, derived from the log. */

const userId = 7;
/** A system group, in which membership follows from the role, and the firstGroupId of the custom groups. */
const [systemGroupId, firstGroupId] = [3, 20];

/** A valid sequence of changes: each choice ends a membership or a nesting that exists, or begins it if it does not. */
function history(choices: readonly number[]) {
  const existing = new Set<string>();
  const entries = choices.map((choice) => {
    const group_id = firstGroupId + (choice % 3);
    const subgroup = firstGroupId + 3 + (Math.floor(choice / 3) % 2);
    const isMembership = choice % 2 === 0;
    const key = isMembership ? `${group_id}` : `${group_id}>${subgroup}`;
    const begins = !existing.has(key);
    if (begins) existing.add(key);
    else existing.delete(key);
    const event: LogEventOf<"user_group"> = isMembership
      ? { type: "user_group", op: begins ? "add_members" : "remove_members", group_id, user_ids: [1, userId] }
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

/** The state of the store after the firstGroupId `count` changes. */
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

/** Memberships in a form that can be compared. */
const sorted = ({ groupIds, subgroups }: Memberships) => ({
  groupIds: [...groupIds].sort(),
  subgroups: Object.entries(subgroups)
    .flatMap(([id, subgroupIds]) => subgroupIds.map((sub) => `${id}>${sub}`))
    .sort(),
});

test("memberships after each change are derived correctly, whichever later or earlier state was read", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(11), { maxLength: 12 }), fc.nat(12), fc.nat(12), (choices, at, readAt) => {
      const entries = history(choices);
      const known = stored(entries, Math.min(readAt, entries.length));
      const count = Math.min(at, entries.length);

      expect(sorted(membershipsAfter(count, entries, userId, known))).toEqual(sorted(stored(entries, count)));
    }),
  );
});

test("events about other users, system groups and messages do not change memberships", () => {
  const joins = (group_id: number, user_ids: number[]): { event: LogEvent } => ({
    event: { type: "user_group", op: "add_members", group_id, user_ids },
  });
  const [ofOtherUsers, ofSystemGroup] = [joins(firstGroupId, [1, 2]), joins(systemGroupId, [userId])];
  const known = { groupIds: new Set([30]), subgroups: { 30: [31] } };

  expect(
    membershipsAfter(
      2,
      [ofOtherUsers, ofSystemGroup, { event: { type: "message", message_id: 1 } }, {}],
      userId,
      known,
    ),
  ).toEqual(known);
  expect([ofOtherUsers, ofSystemGroup].map((entry) => mayChangePermissions(entry, userId))).toEqual([false, false]);
});

test("memberships include a new group and its subgroups, although `mayChangePermissions` is false for the group's event", () => {
  const group = { id: firstGroupId, members: [userId], direct_subgroup_ids: [firstGroupId + 3] } as GroupObject;
  const entry: { event: LogEvent } = { event: { type: "user_group", op: "add", group } };
  const noMemberships = { groupIds: new Set<number>(), subgroups: {} };

  expect(membershipsAfter(1, [entry], userId, noMemberships)).toEqual({
    groupIds: new Set([firstGroupId]),
    subgroups: { [firstGroupId]: [firstGroupId + 3] },
  });
  expect(mayChangePermissions(entry, userId)).toBe(false);
});
