import fc from "fast-check";
import { expect, test } from "vitest";
import { changesTies, type Ties, tiesAfter } from "../../shared/groups/ties.ts";

/** Someone's groups and how groups nest, followed through the log. */

const user = 7;
const [nobodysGroup, first] = [3, 20];

/** Changes that may follow one another: what is there ends, and what is not begins. */
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
    const op = `${begins ? "add" : "remove"}_${isMembership ? "members" : "subgroups"}`;
    const who: { user_ids?: number[]; direct_subgroup_ids?: number[] } = isMembership
      ? { user_ids: [1, user] }
      : { direct_subgroup_ids: [subgroup] };
    return { event: { type: "user_group", op, group_id, ...who } };
  });
  return entries;
}

/** As the store holds it after so many of the changes. */
function stored(entries: ReturnType<typeof history>, count: number): Ties {
  const groupIds = new Set<number>();
  const subgroups: Record<string, number[]> = {};
  for (const { event } of entries.slice(0, count)) {
    const [begins, sub] = [event.op.startsWith("add"), event.direct_subgroup_ids?.[0]];
    if (!sub) {
      if (begins) groupIds.add(event.group_id);
      else groupIds.delete(event.group_id);
    } else {
      const others = (subgroups[event.group_id] ?? []).filter((id) => id !== sub);
      subgroups[event.group_id] = begins ? [...others, sub] : others;
    }
  }
  return { groupIds, subgroups };
}

const flat = ({ groupIds, subgroups }: Ties) => ({
  groupIds: [...groupIds].sort(),
  subgroups: Object.entries(subgroups)
    .flatMap(([id, inside]) => inside.map((sub) => `${id}>${sub}`))
    .sort(),
});

test("how someone stood at each change is the same whenever the rest was read", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(11), { maxLength: 12 }), fc.nat(12), fc.nat(12), (choices, at, readAt) => {
      const entries = history(choices);
      const known = stored(entries, Math.min(readAt, entries.length));
      const count = Math.min(at, entries.length);

      expect(flat(tiesAfter(count, entries, user, known))).toEqual(flat(stored(entries, count)));
    }),
  );
});

test("what the log does not speak of is as it was read, and others' memberships are none of one's own", () => {
  const others = { event: { type: "user_group", op: "add_members", group_id: first, user_ids: [1, 2] } };
  const ofRoles = { event: { type: "user_group", op: "add_members", group_id: nobodysGroup, user_ids: [user] } };
  const known = { groupIds: new Set([30]), subgroups: { 30: [31] } };

  expect(tiesAfter(2, [others, ofRoles, { event: { type: "message" } }, {}], user, known)).toEqual(known);
  expect([others, ofRoles].map((entry) => changesTies(entry, user))).toEqual([false, false]);
});

test("a new group counts with its members and subgroups, and by itself gives nobody anything", () => {
  const group = { id: first, members: [user], direct_subgroup_ids: [first + 3] };
  const entry = { event: { type: "user_group", op: "add", group } };
  const nothing = { groupIds: new Set<number>(), subgroups: {} };

  expect(tiesAfter(1, [entry], user, nothing)).toEqual({
    groupIds: new Set([first]),
    subgroups: { [first]: [first + 3] },
  });
  expect(changesTies(entry, user)).toBe(false);
});
