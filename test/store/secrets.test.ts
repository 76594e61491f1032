import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anAddress } from "../support/people.ts";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { isLocal } from "../support/world.ts";

/** All files below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    return statSync(file).isDirectory() ? filesIn(file) : [file];
  });

describe.skipIf(!isLocal())("a copy of what is stored (only the local host's files can be searched)", () => {
  let host: PrivateHost;
  const owner = "owner@globe.test";
  beforeAll(async () => {
    host = await aPrivateHost();
  }, 60_000);
  afterAll(() => host?.stop());

  test("holds no key and no password, in items, queues and files alike", async () => {
    const [password, changed] = ["a-tale-told-by-an-idiot", "full-of-sound-and-fury"];
    const email = anAddress("macbeth");
    await host.as(owner, "POST", "/users", { email, password, full_name: "Macbeth" });
    const { api_key } = await host.as(undefined, "POST", "/fetch_api_key", { username: email, password });
    await host.as(undefined, "POST", "/fetch_api_key", { username: email, password: "signifying-nothing" });
    const regenerated = (await host.as(owner, "POST", "/users/me/api_key/regenerate")).api_key;
    await host.as("viola@globe.test", "PATCH", "/settings", {
      old_password: "what-country-friends",
      new_password: changed,
    });
    const bot = await host.as("viola@globe.test", "POST", "/bots", { full_name: "Dagger", short_name: "dagger" });
    const renewed = (await host.as("viola@globe.test", "POST", `/bots/${bot.user_id}/api_key/regenerate`)).api_key;
    const known = [password, changed, "signifying-nothing", api_key, regenerated, bot.api_key, renewed];
    for (const secret of known) expect(secret).toMatch(/.{16}/);

    const files = filesIn(host.dataFolder);
    const contents = files.map((file) => readFileSync(file));
    const holders = known.flatMap((secret) => files.filter((_, index) => contents[index]?.includes(secret)));

    expect(holders).toEqual([]);
    // The search would have found them: what is no secret is there to be read.
    expect(contents.some((content) => content.includes(email))).toBe(true);
  });
});
