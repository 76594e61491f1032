import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { seedPresence } from "../support/table/seed-presence.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

/** Presence by the organization's size: among more than a hundred users, clients read only changes and get no events. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";

describe.skipIf(!isLocal())("in a large organization (on a private host)", () => {
  let host: PrivateHost;
  let violaId: number;
  beforeAll(async () => {
    host = await aPrivateHost();
    await seedPresence(host, 101);
    ({ user_id: violaId } = await host.as(viola, "GET", "/users/me"));
  });
  afterAll(() => host?.stop());

  const ping = (email: string, params: Record<string, unknown> = {}) =>
    host.as(email, "POST", "/users/me/presence", { status: "active", ...params });
  /** The presences that the owner's ping returns if the owner has received all changes up to `lastUpdateId`. */
  const changesSince = async (lastUpdateId: number) => {
    const { presences, presence_last_update_id } = await ping(owner, { last_update_id: lastUpdateId });
    return { presences, lastUpdateId: presence_last_update_id };
  };

  test("another user receives a ping's change once, and the sender receives it too", async () => {
    const { presence_last_update_id: lastUpdateId } = await ping(owner, { last_update_id: -1 });
    const reply = await ping(viola, { last_update_id: lastUpdateId });

    const first = await changesSince(lastUpdateId);
    const second = await changesSince(first.lastUpdateId);

    expect(reply.presences).toHaveProperty(String(violaId));
    expect(Object.keys(first.presences)).toEqual([String(violaId)]);
    expect(second).toEqual({ presences: {}, lastUpdateId: first.lastUpdateId });
  });

  test("a user who stops sharing presence is shown as offline, and a deactivated one is omitted", async () => {
    // The list of all presences may be a second out of date.
    const lastUpdateId = await eventually(async () => {
      const { presence_last_update_id } = await ping(owner, { last_update_id: -1 });
      return presence_last_update_id > 0 && presence_last_update_id;
    });
    await host.do(viola, "PATCH", "/settings", { presence_enabled: false });
    await ping(viola);
    const afterOptOut = await changesSince(lastUpdateId);

    await host.do(owner, "DELETE", `/users/${violaId}`);
    const afterDeactivation = await changesSince(lastUpdateId);
    await host.do(owner, "POST", `/users/${violaId}/reactivate`);
    const afterReactivation = await changesSince(lastUpdateId);

    const { active_timestamp, idle_timestamp } = afterOptOut.presences[violaId];
    expect(Date.now() / 1000 - Math.max(active_timestamp, idle_timestamp)).toBeGreaterThan(200);
    expect(afterDeactivation.presences).toEqual({});
    expect(Object.keys(afterReactivation.presences)).toEqual([String(violaId)]);
  });
});

describe.skipIf(!isLocal())("in a small organization (on a private host)", () => {
  let host: PrivateHost;
  beforeAll(async () => {
    host = await aPrivateHost();
  });
  afterAll(() => host?.stop());

  test("who comes online is announced, without an address that others may not see", async () => {
    const params = { event_types: ["presence"], fetch_event_types: [] };
    const { queue_id } = await host.as(owner, "POST", "/register", params);
    const { user_id } = await host.as(viola, "GET", "/users/me");
    await host.as(viola, "PATCH", "/settings", { email_address_visibility: 4 });

    await host.as(viola, "POST", "/users/me/presence", { status: "active" });

    const { events } = await host.as(owner, "GET", "/events", { queue_id, last_event_id: -1 });
    expect(events).toMatchObject([{ type: "presence", user_id, email: expect.stringMatching(`^user${user_id}@`) }]);
  });
});
