import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { padded } from "../../shared/store/table/keys.ts";
import { overlapMs } from "../../shared/store/users/presence-cache.ts";
import { createUser } from "../../shared/store/users/users.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { presenceOf, secondsAgo, seedPresence } from "../support/table/seed-presence.ts";
import { seedTable, tableOf } from "../support/table/seed-table.ts";
import { eventually } from "../support/waiting.ts";
import { reportsCosts } from "../support/world.ts";

/** The cost of a ping a minute after the previous one, in a small organization and a larger one. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";

describe.skipIf(!reportsCosts())("a ping (where costs are reported)", () => {
  let host: PrivateHost;
  let ownerAuthorization: string;
  let violaAuthorization: string;
  let ownerId: number;
  beforeAll(async () => {
    host = await aPrivateHost();
    const logIn = async (username: string) => {
      const { api_key, user_id } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username });
      return { authorization: `Basic ${Buffer.from(`${username}:${api_key}`).toString("base64")}`, id: user_id };
    };
    ({ authorization: ownerAuthorization, id: ownerId } = await logIn(owner));
    ({ authorization: violaAuthorization } = await logIn(viola));
  });
  afterAll(() => host?.stop());

  const ping = async (lastUpdateId: number, authorization = ownerAuthorization) => {
    const response = await fetch(`${host.url}/api/v1/users/me/presence`, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ status: "active", last_update_id: String(lastUpdateId) }),
    });
    const units = (name: string) => Number(response.headers.get(`x-skein-${name}-units`));
    const { presences, presence_last_update_id } = (await response.json()) as any;
    return { presences, lastUpdateId: presence_last_update_id, readUnits: units("read"), writeUnits: units("write") };
  };
  /** Sets the time of the owner's last ping to a minute ago. */
  const backdateOwnersPing = () =>
    tableOf(host).update({
      key: presenceOf(ownerId),
      update: { set: { lastActive: secondsAgo(60), lastConnected: secondsAgo(60) } },
      returns: "new",
    });

  test("writes one unit and reads everybody's presence, in an organization of up to a hundred users", async () => {
    const { lastUpdateId } = await ping(-1);
    await seedPresence(host, 49);
    await backdateOwnersPing();

    const afterMinute = await ping(lastUpdateId);
    const repeated = await ping(afterMinute.lastUpdateId);

    expect(afterMinute).toMatchObject({ writeUnits: 1, presences: { [ownerId]: expect.anything() } });
    expect(Object.keys(afterMinute.presences)).toEqual([String(ownerId)]);
    // Authentication 1, organization and settings 0.5 each, 1 for somewhat more than 40 users, and 1 for the log's end, or 2
    // near the end of its partition.
    expect(afterMinute.readUnits).toBeLessThanOrEqual(7);
    expect(afterMinute.lastUpdateId).toBeGreaterThan(lastUpdateId);
    expect(repeated).toMatchObject({ writeUnits: 0, presences: {} });
  });

  test("writes two units, one for the minute's index, and reads that minute's changes, in a larger organization", async () => {
    await seedPresence(host, 150);
    const { lastUpdateId } = await ping(-1);
    await backdateOwnersPing();

    const afterMinute = await ping(lastUpdateId);
    const repeated = await ping(afterMinute.lastUpdateId);

    expect(afterMinute).toMatchObject({ writeUnits: 2, presences: { [ownerId]: expect.anything() } });
    expect(afterMinute.readUnits).toBeLessThanOrEqual(7);
    expect(repeated).toMatchObject({ writeUnits: 0, presences: {} });
  });

  /** Simulates pings of `count` users right after `lastUpdateId`, and waits until the overlap of two reads is past them. */
  async function simulatePings(count: number, lastUpdateId: number) {
    const startedAt = Date.now();
    const ids = Array.from({ length: count }, (_, index) => 8_000_000 + index);
    const items = ids.flatMap((id, index) => {
      const user = { id, email: `p${id}@globe.test`, fullName: `Player ${id}`, role: 400 as const, active: true };
      const profile = createUser({
        ...user,
        joinedAt: 1_700_000_000,
        timezone: "",
        avatarSource: "G",
        avatarVersion: 1,
      });
      const updateId = lastUpdateId + 1 + index;
      const times = {
        lastActive: Math.floor(Date.now() / 1000) - 30,
        lastConnected: Math.floor(Date.now() / 1000) - 30,
      };
      const change = { pk: `PRESENCE#${Math.floor(updateId / 60_000)}`, sk: `${padded(updateId)}#${padded(id)}` };
      return [...(profile.kind === "put" ? [profile.item] : []), { ...change, userId: id, ...times, updateId }];
    });
    await seedTable(host, items);
    await eventually(async () => Date.now() > startedAt + count + overlapMs);
  }

  test("reads at most 7 units with a thousand active users, because the requests of a process share one read", async () => {
    await seedPresence(host, 150);
    await ping(-1, violaAuthorization);
    const { lastUpdateId } = await ping(-1);
    await simulatePings(1000, lastUpdateId);
    await ping(lastUpdateId);
    // Every ten seconds a ping makes a deep read; of two consecutive pings at least one does not.
    const [one, other] = [await ping(lastUpdateId, violaAuthorization), await ping(lastUpdateId, violaAuthorization)];
    const cheaper = one.readUnits < other.readUnits ? one : other;
    const repeated = await ping(cheaper.lastUpdateId, violaAuthorization);
    expect(Object.keys(cheaper.presences).length).toBeGreaterThanOrEqual(1000);
    // The account 1, organization and settings 0.5 each, the caller's own presence 1, 1 for changes since the last read,
    // and 1 for the log's end, or 2 near the end of its partition.
    expect(cheaper.readUnits).toBeLessThanOrEqual(7);
    expect(repeated.presences).toEqual({});
  });
});
