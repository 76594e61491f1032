import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../support/accounts.ts";
import { startHostChild } from "../support/hosts/host-child.ts";
import { isLocal } from "../support/world.ts";

test.skipIf(!isLocal())(
  "the operator switches passwords on again where the provider is gone, and no owner can switch them off there",
  async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "skein-passwords-"));
    const provider = JSON.stringify([{ name: "Acme", issuer: "http://127.0.0.1:1", client_id: "skein" }]);
    let host = await startHostChild(dataFolder, { env: { SKEIN_OIDC: provider } });
    try {
      const send = async (method: string, path: string, fields?: Record<string, string>, authorization = "") => {
        const body = fields && new URLSearchParams(fields);
        const response = await fetch(`${host.url}/api/v1${path}`, {
          method,
          headers: authorization === "" ? {} : { authorization },
          ...(body && { body }),
        });
        return (await response.json()) as any;
      };
      const owner = "owner@globe.test";
      const { api_key } = await send("POST", "/dev_fetch_api_key", { username: owner });
      const authorization = `Basic ${Buffer.from(`${owner}:${api_key}`).toString("base64")}`;
      const switchOff = () => send("PATCH", "/realm", { password_auth_enabled: "false" }, authorization);
      const logIn = async () => (await send("POST", "/fetch_api_key", { username: owner, password: "wrong" })).code;
      const accepted = await switchOff();
      await host.end();

      host = await startHostChild(dataFolder, { env: { SKEIN_OIDC: "" } });
      const before = await logIn();
      const repeated = await switchOff();
      // Without a provider, an invitation's page has nothing to offer.
      const page = await open("/join/x", { url: host.url });
      await host.end();

      host = await startHostChild(dataFolder, { env: { SKEIN_OIDC: "", SKEIN_ENABLE_PASSWORDS: "true" } });

      for (const reply of [accepted, repeated]) expect(reply).toMatchObject({ result: "success" });
      expect([page.status, page.bytes.toString()]).toEqual([401, expect.stringContaining("PASSWORD_AUTH_DISABLED")]);
      expect([before, await logIn()]).toEqual(["PASSWORD_AUTH_DISABLED", "AUTHENTICATION_FAILED"]);
      expect((await send("GET", "/server_settings")).email_auth_enabled).toBe(true);
      const byOldName = send("PATCH", "/realm", { authentication_methods: '{"Email":false}' }, authorization);
      for (const reply of [await switchOff(), await byOldName])
        expect(reply).toMatchObject({ code: "BAD_REQUEST", msg: expect.stringContaining("no identity provider") });
    } finally {
      await host.end();
      rmSync(dataFolder, { recursive: true, force: true });
    }
  },
  60_000,
);
