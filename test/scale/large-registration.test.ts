import { expect, onTestFinished, test } from "vitest";
import { createUser } from "../../shared/store/users/users.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { presenceOf } from "../support/table/seed-presence.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { itemsOf } from "../support/table/seeding.ts";
import { useTarget } from "../support/target.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person, reportsCosts } from "../support/world.ts";

/** Registrations in an organization of ten thousand users, whose profiles a registration reads from one packed copy. */

const [firstId, userCount] = [1000, 10_000];
const budget = { readUnits: 400, tableCalls: 15, stages: 4 };

test.skipIf(!reportsCosts())(
  "a registration among ten thousand people is cheap and shows each change of a profile (where costs are reported)",
  async () => {
    const host = await aPrivateHost();
    onTestFinished(() => host.stop());
    useTarget(host);
    const [portia, nerissa] = [await aPerson("Portia", { role: "owner" }), await aPerson("Nerissa")];
    await aChannel("belmont", [portia, nerissa]);
    const ids = Array.from({ length: userCount }, (_, index) => firstId + index);
    await seedTable(host, [...itemsOf(ids.map((id) => createUser(suitor(id)))), ...ids.map(presence)]);

    // The first registration writes the copy, and each process checks once whether the organization is large.
    for (let n = 0; n < 3; n++) await register(portia);
    const costs = [(await register(portia)).cost, (await register(nerissa)).cost, (await register(portia)).cost];
    const minimums = Object.fromEntries(
      Object.keys(budget).map((name) => [name, Math.min(...costs.map((cost) => cost[name as keyof typeof budget]))]),
    );
    const exceeded = Object.entries(budget).filter(([name, maximum]) => (minimums[name] ?? 0) > maximum);
    expect(exceeded, JSON.stringify(minimums)).toEqual([]);

    const jessica = await aPerson("Jessica");
    const field = (await portia.call("POST", "/realm/profile_fields", { name: "Casket", field_type: 1 })).body.id;
    const created = await nerissa.call("POST", "/bots", {
      full_name: "Casket",
      short_name: unique("casket").slice(-8),
    });
    const bot = created.body.user_id;
    const changes: [Person, string, string, Record<string, unknown>?][] = [
      [nerissa, "PATCH", "/settings", { full_name: "A lawyer's clerk" }],
      [nerissa, "PATCH", "/settings", { timezone: "Europe/Rome" }],
      [nerissa, "PATCH", "/settings", { email_address_visibility: 5 }],
      [nerissa, "PATCH", "/users/me/profile_data", { data: [{ id: field, value: "lead" }] }],
      [nerissa, "DELETE", "/users/me/avatar"],
      [nerissa, "PATCH", `/bots/${bot}`, { full_name: "Golden casket" }],
      [portia, "PATCH", `/bots/${bot}`, { bot_owner_id: portia.id }],
      [portia, "DELETE", `/bots/${bot}`],
      [portia, "PATCH", `/users/${jessica.id}`, { role: 600 }],
      [portia, "PATCH", `/users/${jessica.id}`, { new_email: `${unique("jessica").replaceAll(" ", "-")}@globe.test` }],
      [portia, "DELETE", `/users/${jessica.id}`],
      [portia, "POST", `/users/${jessica.id}/reactivate`],
      [portia, "PATCH", `/users/${firstId}`, { full_name: "The Prince of Arragon" }],
    ];
    for (const [by, method, path, params] of changes) {
      const changed = await by.call(method, path, params);
      expect([path, changed.status, changed.body.msg]).toEqual([path, 200, ""]);
      const { body, cost } = await register(portia);
      const listed = await portia.call("GET", "/users", { include_custom_profile_fields: true, client_gravatar: true });
      expect(byId([...body.realm_users, ...body.realm_non_active_users, ...body.cross_realm_bots])).toEqual(
        byId(listed.body.members),
      );
      expect([path, cost.readUnits <= budget.readUnits]).toEqual([path, true]);
    }
  },
  300_000,
);

const suitor = (id: number) => ({
  ...{ id, email: `suitor-${id}@globe.test`, fullName: `Suitor ${id} of the lady of Belmont`, role: 400 as const },
  ...{ active: true, joinedAt: 1_700_000_000, timezone: "Europe/Rome", avatarSource: "G" as const, avatarVersion: 1 },
});

const presence = (userId: number) => {
  const lastActive = Math.floor(Date.now() / 1000) - 60;
  return { ...presenceOf(userId), userId, lastActive, lastConnected: lastActive, updateId: userId };
};

const register = async (person: Person) => {
  const reply = await person.call("POST", "/register");
  expect([reply.status, reply.body.msg]).toEqual([200, ""]);
  expect(reply.body.realm_users.length).toBeGreaterThan(userCount);
  return reply;
};

/** The users by ID, without the fields that only one of the two lists has. */
const byId = (users: readonly any[]) =>
  new Map(users.map(({ is_active, is_system_bot, ...user }) => [user.user_id, user]));
