import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { seedPresence, tableOf } from "../support/table/seed-presence.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

/** Presence in an organization of more than a hundred users, where clients read only changes. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";

describe.skipIf(!isLocal())("in a large organization (on a private host)", () => {
  let host: PrivateHost;
  let violasId: number;
  beforeAll(async () => {
    host = await aPrivateHost();
    await seedPresence(tableOf(host), 101);
    ({ user_id: violasId } = await host.as(viola, "GET", "/users/me"));
  });
  afterAll(() => host?.stop());

  const ping = (email: string, params: Record<string, unknown> = {}) =>
    host.as(email, "POST", "/users/me/presence", { status: "active", ...params });
  /** The presences that the owner receives after having received everything up to `last`. */
  const changed = async (last: number) => {
    const { presences, presence_last_update_id } = await ping(owner, { last_update_id: last });
    return { presences, last: presence_last_update_id };
  };

  test("a ping is sent to others once, and to its sender", async () => {
    const { presence_last_update_id: last } = await ping(owner, { last_update_id: -1 });
    const violas = await ping(viola, { last_update_id: last });

    const first = await changed(last);
    const second = await changed(first.last);

    expect(violas.presences).toHaveProperty(String(violasId));
    expect(Object.keys(first.presences)).toEqual([String(violasId)]);
    expect(second).toEqual({ presences: {}, last: first.last });
  });

  test("a user who stops sharing presence is shown as offline, and a deactivated one is omitted", async () => {
    // The list of everybody may lag by a second.
    const last = await eventually(async () => {
      const { presence_last_update_id } = await ping(owner, { last_update_id: -1 });
      return presence_last_update_id > 0 && presence_last_update_id;
    });
    await host.do(viola, "PATCH", "/settings", { presence_enabled: false });
    await ping(viola);
    const gone = await changed(last);

    await host.do(owner, "DELETE", `/users/${violasId}`);
    const deactivated = await changed(last);
    await host.do(owner, "POST", `/users/${violasId}/reactivate`);
    const back = await changed(last);

    const { active_timestamp, idle_timestamp } = gone.presences[violasId];
    expect(Date.now() / 1000 - Math.max(active_timestamp, idle_timestamp)).toBeGreaterThan(200);
    expect(deactivated.presences).toEqual({});
    expect(Object.keys(back.presences)).toEqual([String(violasId)]);
  });
});
