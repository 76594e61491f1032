import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { anAddress } from "../support/people.ts";
import { isLocal } from "../support/world.ts";

/** All files below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    return statSync(file).isDirectory() ? filesIn(file) : [file];
  });

describe.skipIf(!isLocal())(
  "a copy of all stored and logged data (only that of the local host can be searched)",
  () => {
    let host: PrivateHost;
    const logs = mkdtempSync(join(tmpdir(), "skein-logs-"));
    const logFile = join(logs, "host.log");
    const owner = "owner@globe.test";
    beforeAll(async () => {
      host = await aPrivateHost({}, logFile);
    }, 60_000);
    afterAll(async () => {
      await host?.stop();
      rmSync(logs, { recursive: true, force: true });
    });

    test("contains no key or password in any item, queue, file or log", async () => {
      const [password, newPassword] = ["a-tale-told-by-an-idiot", "full-of-sound-and-fury"];
      const email = anAddress("macbeth");
      await host.do(owner, "POST", "/users", { email, password, full_name: "Macbeth" });
      const { api_key } = await host.as(undefined, "POST", "/fetch_api_key", { username: email, password });
      const refused = await host.as(undefined, "POST", "/fetch_api_key", {
        username: email,
        password: "signifying-nothing",
      });
      expect(refused.status).toBe(401);
      const regenerated = (await host.as(owner, "POST", "/users/me/api_key/regenerate")).api_key;
      await host.do("viola@globe.test", "PATCH", "/settings", {
        old_password: "what-country-friends",
        new_password: newPassword,
      });
      const bot = await host.as("viola@globe.test", "POST", "/bots", { full_name: "Dagger", short_name: "dagger" });
      const renewed = (await host.as("viola@globe.test", "POST", `/bots/${bot.user_id}/api_key/regenerate`)).api_key;
      const secrets = [password, newPassword, "signifying-nothing", api_key, regenerated, bot.api_key, renewed];
      for (const secret of secrets) expect(secret).toMatch(/.{16}/);
      // Clients may send secrets in the wrong place too: in a query, under another name, in an invalid body.
      for (const secret of secrets) {
        await host.as(undefined, "GET", "/users/me", { api_key: secret, password: secret });
        await host.as(owner, "PATCH", "/settings", { email: secret, old_password: secret, new_password: "x" });
        await host.as(undefined, "POST", "/fetch_api_key", { username: secret, password: secret });
        await host.as(undefined, "POST", "/dev_fetch_api_key", { username: secret });
        const headers = { authorization: `Basic ${Buffer.from(`${owner}:${secret}`).toString("base64")}` };
        await fetch(`${host.url}/api/v1/users`, { method: "POST", headers, body: `{"password":"${secret}"` });
      }

      const files = [...filesIn(host.dataFolder), logFile];
      const contents = files.map((file) => readFileSync(file));
      const filesWithSecrets = secrets.flatMap((secret) =>
        files.filter((_, index) => contents[index]?.includes(secret)),
      );

      expect(filesWithSecrets).toEqual([]);
      // Proves that the search works: it finds values that are not secret.
      expect(contents.some((content) => content.includes(email))).toBe(true);
      const logged = readFileSync(logFile, "utf8");
      for (const part of ["POST /users ", "POST /fetch_api_key", "401", "requestId"]) expect(logged).toContain(part);
    });
  },
);
