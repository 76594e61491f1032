import { expect, test } from "vitest";
import { featureLevel, zulipVersion } from "../../shared/base/limits.ts";
import { announceBuild } from "../../shared/core/organization/build.ts";
import { accessOrganization } from "../../shared/services/organization/access.ts";
import { listen } from "../support/listener.ts";
import { unique } from "../support/unique.ts";
import { aPerson } from "../support/world.ts";

test("clients get one restart event for a new build, whichever process notices it first", async () => {
  const viola = await aPerson("Viola");
  const listener = await listen(viola);
  const build = unique("build");

  const announced = await Promise.all([announceBuild(build), announceBuild(build), announceBuild(build)]);
  expect(await announceBuild(build)).toBe(false);

  expect(announced.filter(Boolean)).toHaveLength(1);
  const restart = await listener.next("restart");
  expect(restart).toEqual({
    id: expect.any(Number),
    type: "restart",
    zulip_version: zulipVersion,
    zulip_merge_base: expect.any(String),
    zulip_feature_level: featureLevel,
    server_generation: expect.any(Number),
  });
  expect(await listener.next("web_reload_client")).toMatchObject({ immediate: false });
  await listener.poll();
  expect(listener.received.filter(({ type }) => type === "restart")).toHaveLength(1);
  const { server_generation } = (await viola.call("POST", "/register", { event_types: ["realm"] })).body;
  expect(server_generation).toBe(restart.server_generation);
});

test("a build that is announced silently is recorded without a restart event", async () => {
  const viola = await aPerson("Viola");
  const listener = await listen(viola);

  expect(await announceBuild(unique("first"), { silently: true })).toBe(false);

  expect((await listener.poll()).map(({ type }: any) => type)).not.toContain("restart");
  expect((await accessOrganization()).build).toContain("first");
});
