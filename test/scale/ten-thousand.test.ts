import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addChannel } from "../../shared/features/channels/create.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { createUser, type User } from "../../shared/store/users/users.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { target } from "../support/target.ts";
import { unique } from "../support/unique.ts";

const isLocal = target().kind === "local";

describe.skipIf(!isLocal)(
  "ten thousand users (on a private host, so that the lists of other tests do not contain them)",
  () => {
    let host: PrivateHost;
    beforeAll(async () => {
      host = await aPrivateHost();
      Object.assign(process.env, host.environment);
      const user = (id: number): User => ({
        id,
        email: `spear-carrier-number-${id}@globe.test`,
        fullName: `Spear carrier ${id} of the second army that crosses the stage`,
        role: 400,
        active: true,
        joinedAt: 1_700_000_000,
        timezone: "Europe/London",
        avatarSource: "G",
        avatarVersion: 1,
      });
      const batches = Array.from({ length: 100 }, (_, batch) =>
        Array.from({ length: 100 }, (_, index) => createUser(user(1000 + batch * 100 + index))),
      );
      for (const batch of batches) await transact(batch);
    }, 120_000);
    afterAll(() => host?.stop());

    test("are listed completely, over several pages of the table", async () => {
      const { status, members } = await host.as("owner@globe.test", "GET", "/users");

      expect(status).toBe(200);
      const ids = new Set(members.map(({ user_id }: { user_id: number }) => user_id));
      expect(Array.from({ length: 10_000 }, (_, index) => 1000 + index).filter((id) => !ids.has(id))).toEqual([]);
      expect(members.length).toBe(ids.size);
    });

    test("fit into a Lambda reply, compressed or not", async () => {
      const { body } = await host.raw("owner@globe.test", "/users?client_gravatar=false", "identity");
      const compressed = await host.raw("owner@globe.test", "/users?client_gravatar=false", "gzip, deflate");

      // 6 MB, counted as the JSON text of a reply with the body as a string.
      expect(JSON.stringify(body.toString("utf8")).length).toBeLessThan(6_291_000);
      expect(compressed.encoding).toBe("gzip");
      expect(compressed.body.length).toBeLessThan(1_000_000);
      expect(gunzipSync(compressed.body).equals(body)).toBe(true);
    });

    test("are all in the registration's state", async () => {
      const { realm_users } = await host.as("owner@globe.test", "POST", "/register", {
        fetch_event_types: ["realm_user"],
      });

      expect(realm_users.length).toBeGreaterThan(10_000);
    });

    test("register with a thousand channels within Lambda's limits for size and time", async () => {
      const { user_id } = await host.as("owner@globe.test", "GET", "/users/me");
      const names = Array.from({ length: 1000 }, (_, index) => unique(`Scene ${index} of the long second act`));
      const description = "What is said and done here concerns all who have a part in it, and nobody else.";
      const createPart = async (part: number) => {
        for (let index = part; index < names.length; index += 8)
          await addChannel({ name: names[index] as string, description }, null, [user_id]);
      };
      await Promise.all(Array.from({ length: 8 }, (_, part) => createPart(part)));

      for (const options of [{}, { client_gravatar: "false", include_subscribers: "true", apply_markdown: "true" }]) {
        const startedAt = performance.now();
        const reply = await host.as("owner@globe.test", "POST", "/register", options);
        const seconds = (performance.now() - startedAt) / 1000;
        const { status, ...body } = reply;
        const text = JSON.stringify(body);

        expect(status).toBe(200);
        expect(body.realm_users.length).toBeGreaterThan(10_000);
        expect(body.subscriptions.length).toBeGreaterThanOrEqual(1000);
        // The local gateway returns 500 for a larger reply, as API Gateway does.
        expect(gzipSync(text).length * (4 / 3)).toBeLessThan(2_000_000);
        expect(seconds).toBeLessThan(29);
      }
      const [compressed, redirected] = await Promise.all(
        [undefined, "identity"].map((accept) => host.raw("owner@globe.test", "/register", accept, "POST")),
      );
      expect([compressed?.status, compressed?.encoding]).toEqual([200, "gzip"]);
      expect(JSON.parse(gunzipSync(compressed?.body ?? "").toString()).subscriptions.length).toBeGreaterThanOrEqual(
        1000,
      );
      // Uncompressed, the reply exceeds a function's limit, so the client is redirected to a stored copy.
      expect(redirected).toMatchObject({ status: 303, encoding: undefined });
      const stored = await fetch(redirected?.location ?? "");
      expect(((await stored.json()) as any).subscriptions.length).toBeGreaterThanOrEqual(1000);
    }, 120_000);
  },
);
