import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { entryCaches } from "../../shared/store/log/entry-cache.ts";
import { commit } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";
import {
  bumpUsersVersion,
  createOrganizationItem,
  findOrganization,
} from "../../shared/store/organization/organization.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { updateItem } from "../../shared/store/table/single-writes.ts";
import { withSnapshot } from "../../shared/store/table/snapshot.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { readPeople } from "../../shared/store/users/people-copy.ts";
import { createUser, type User, updateUser } from "../../shared/store/users/users.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { lagReads } from "../support/table/lagging-table.ts";
import { leaveSeparateTables, useSeparateTable } from "../support/table/separate-table.ts";
import { isLocal } from "../support/world.ts";

/**
 * Random changes of users' profiles, and registrations that read the profiles from the packed copy: each registration must
 * see the profiles that are in the table.
 */

const initialUserCount = 520;
const person = (id: number): User => ({
  ...{ id, email: `attendant-${id}@globe.test`, fullName: `Attendant ${id}`, role: 400, active: true },
  ...{ joinedAt: 1_700_000_000, timezone: "", avatarSource: "G", avatarVersion: 1 },
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rename" as const), pick: fc.nat(), text: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("deactivate" as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename many" as const), from: fc.nat(), text: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("other entries" as const), count: fc.constantFrom(1, 3, 5) }) },
  // The whole copy is written at most once a minute.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("a minute later" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("register" as const), writesUntilDeath: fc.option(fc.nat({ max: 4 })) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("together" as const), picks: fc.array(fc.nat(), { maxLength: 4 }) }),
  },
);

const silence = { audience: { kind: "users" as const, userIds: [] }, event: { type: "silence" as const } };

describe.skipIf(!isLocal())(
  "the copy of all profiles (in a separate table, which a deployed fleet does not have)",
  () => {
    const users = new Map<number, User>();
    let stopLagging = () => {};
    beforeAll(async () => {
      useSeparateTable();
      for (let id = 1; id <= initialUserCount; id++) users.set(id, person(id));
      const writes = [...users.values()].map((user) => createUser(user));
      for (let start = 0; start < writes.length; start += 100) await transact(writes.slice(start, start + 100));
      const organization = { uuid: "", name: "Globe", stringId: "", createdAt: 0, settings: {}, notificationBotId: 1 };
      await transact([createOrganizationItem({ ...organization, usersVersion: 1 })]);
      // The lag of each read is random, so the copy's mark may be newer or older than its chunks.
      const lag = () => Math.floor(Math.random() * 300);
      stopLagging = lagReads({ indexMs: lag, baseMs: lag, longestMs: 300 });
    });
    afterAll(() => {
      stopLagging();
      return leaveSeparateTables();
    });

    const change = async (changed: readonly User[], joined = false) => {
      await commit({
        writes: [
          ...changed.map((user) =>
            joined ? createUser(user) : updateUser(user.id, { set: { fullName: user.fullName, active: user.active } }),
          ),
          bumpUsersVersion(),
        ],
        events: [silence],
      });
      for (const user of changed) users.set(user.id, user);
    };
    /** How often the users were listed instead of read from the copy. */
    let listings = 0;
    /** How many writes of the copy succeed before the function dies. */
    let writesLeft = Number.POSITIVE_INFINITY;
    let registrations = 0;
    const stopObserving = observeTableCalls(async ({ name, request }, proceed) => {
      if (name === "query" && request.pk === "USERS") listings++;
      if (name === "update" && request.key.pk === "PEOPLE" && writesLeft-- <= 0) throw new Error("The function died");
      return proceed();
    });
    afterAll(() => stopObserving());

    const register = async () => {
      for (const cache of entryCaches) cache.clear();
      const { event: sequence } = await settledHead();
      return withRequestScope(() =>
        withSnapshot(async () => {
          const version = findOrganization().then((organization) => organization?.usersVersion ?? 0);
          registrations++;
          return readPeople(sequence, version);
        }),
      );
    };
    const withoutKeys = (listed: readonly object[]) =>
      (listed as (User & Record<string, unknown>)[]).map(({ pk, sk, gsi1pk, gsi1sk, ...user }) => user);

    test("together with the log shows every earlier change, however stale or incomplete the copy is", async () => {
      const log: string[] = [];
      const { error: originalError } = console;
      console.error = (text) => log.push(String(text));
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(step, { minLength: 10, maxLength: 30 }),
            forAtMost(5_000, async (steps) => {
              for (const action of steps) {
                const picked = (pick: number) => users.get(1 + (pick % users.size)) as User;
                switch (action.kind) {
                  case "rename":
                    await change([{ ...picked(action.pick), fullName: `R ${action.text}` }]);
                    break;
                  case "deactivate":
                    await change([{ ...picked(action.pick), active: !picked(action.pick).active }]);
                    break;
                  case "join":
                    await change(
                      Array.from({ length: action.count }, (_, index) => person(users.size + 1 + index)),
                      true,
                    );
                    break;
                  case "rename many": {
                    const ids = Array.from({ length: 60 }, (_, index) => action.from + index * 7);
                    const renamed = new Map(
                      ids.map((id) => [picked(id).id, { ...picked(id), fullName: `M ${action.text}` }]),
                    );
                    await change([...renamed.values()]);
                    break;
                  }
                  case "other entries":
                    for (let n = 0; n < action.count; n++)
                      await commit({ events: Array.from({ length: 90 }, () => silence) });
                    break;
                  case "a minute later":
                    await updateItem({ pk: "PEOPLE", sk: "MANIFEST" }, { remove: ["buildingUntil"] });
                    break;
                  case "register": {
                    const people = await register();
                    expect(withoutKeys(people.users)).toEqual([...users.values()]);
                    writesLeft = action.writesUntilDeath ?? Number.POSITIVE_INFINITY;
                    await people.updateCopy();
                    writesLeft = Number.POSITIVE_INFINITY;
                    break;
                  }
                  case "together": {
                    const changes = action.picks.map((pick, n) => ({ ...picked(pick), fullName: `T ${n}` }));
                    const registering = [register(), register()].map(async (read) => (await read).updateCopy());
                    for (const user of changes) await change([user]);
                    registering.push(register().then((people) => people.updateCopy()));
                    await Promise.all([...registering, commit({})]);
                  }
                }
              }
              expect(withoutKeys((await register()).users)).toEqual([...users.values()]);
            }),
          ),
          { numRuns: 40, endOnFailure: true },
        );
      } finally {
        console.error = originalError;
      }
      expect(log.filter((text) => !text.includes("The function died"))).toEqual([]);
      // Most registrations read the copy. A busy machine completes only a few, so up to 50 listings are accepted.
      expect(listings).toBeLessThan(Math.max(registrations, 50));
    }, 90_000);
  },
);
