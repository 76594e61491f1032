import { expect, test } from "vitest";
import { creationLimits } from "../../shared/base/creation-limits.ts";
import { limits } from "../../shared/base/limits.ts";
import { defaultGroupSettings } from "../../shared/core/user-groups/defaults.ts";
import { checkNesting, groupBytes } from "../../shared/core/user-groups/totals.ts";
import { toGroupWire } from "../../shared/core/user-groups/wire.ts";
import type { Group } from "../../shared/store/organization/groups.ts";
import { unique } from "../support/unique.ts";
import { aPerson } from "../support/world.ts";

/** Limits on all user groups of an organization together. */

test("groups nest at most so deep, whichever end is added", async () => {
  const quince = await aPerson("Quince");
  const create = async (subgroups: number[]) =>
    (
      await quince.call("POST", "/user_groups/create", {
        name: unique("nest"),
        description: "",
        members: [],
        subgroups,
      })
    ).body;
  const ids: number[] = [];
  for (let level = 0; level < limits.groupLevels; level++) ids.push((await create(ids.slice(-1))).group_id);
  const msg = `User groups can be nested at most ${limits.groupLevels} levels deep.`;

  expect(await create([ids.at(-1) as number])).toMatchObject({ code: "BAD_REQUEST", msg });
  const deeper = (await create([])).group_id;
  const below = await quince.call("POST", `/user_groups/${ids[0]}/subgroups`, { add: [deeper] });
  expect(below.body).toMatchObject({ code: "BAD_REQUEST", msg });
  const beside = await quince.call("POST", `/user_groups/${ids[1]}/subgroups`, { add: [deeper] });
  expect(beside.body.msg).toBe("");
});

test("nested groups have a number of subgroups in all, and are checked in one pass over them", () => {
  const { max } = creationLimits.subgroup;
  // Each group of a level contains each of the next: the number of paths is 10 to the power of the levels.
  const layered = Object.fromEntries(
    Array.from({ length: 90 }, (_, id) => [
      id + 100,
      Array.from({ length: 10 }, (__, index) => (Math.floor(id / 10) + 1) * 10 + index + 100),
    ]),
  );
  expect(() => checkNesting(100, { subgroups: layered })).not.toThrow();
  const wide = { ...layered, 1000: Array.from({ length: max - 899 }, (_, index) => 2000 + index) };
  expect(() => checkNesting(1000, { subgroups: wide })).toThrow(`at most ${max} subgroups`);
});

test("the estimate of a group's size is not below what clients get", () => {
  const group: Group = {
    ...{
      id: 123_456,
      name: "Mechanicals é 🎭",
      description: 'Hard-handed "men"\n'.repeat(50),
      createdAt: 1_700_000_000,
    },
    ...{ creatorId: 123_456, isSystem: false, deactivated: false, subgroupIds: [123_456, 234_567] },
    members: new Set(Array.from({ length: 500 }, (_, index) => 100_000 + index)),
    settings: {
      ...defaultGroupSettings(123_456),
      canJoinGroup: { direct_members: [100_000, 100_001], direct_subgroups: [2] },
    },
  };
  const sent = Buffer.byteLength(JSON.stringify(toGroupWire(group)));
  expect(groupBytes(group)).toBeGreaterThanOrEqual(sent);
  expect(groupBytes(group)).toBeLessThan(sent * 1.5 + 500);
});

test("a permission names a limited number of people", async () => {
  const bottom = await aPerson("Bottom");
  const direct_members = Array.from({ length: creationLimits.permissionMember.max + 1 }, (_, index) => index + 1);
  const created = await bottom.call("POST", "/user_groups/create", {
    ...{ name: unique("asses"), description: "", members: [] },
    can_join_group: { direct_members, direct_subgroups: [] },
  });
  expect(created.body.code).toBe("BAD_REQUEST");
});
