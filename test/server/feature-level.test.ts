import { afterEach, expect, test, vi } from "vitest";
import { advertisedLevel } from "../../shared/base/environment.ts";
import { featureLevel, servedLevels } from "../../shared/base/limits.ts";
import { call } from "../support/world.ts";

/** The levels that clients may be told; docs/clients.md says what differs. */

afterEach(() => vi.unstubAllEnvs());

test("clients are told 420 unless the operator sets another level that is served", async () => {
  expect(servedLevels).toEqual([420, 421]);
  expect((await call("GET", "/server_settings")).body.zulip_feature_level).toBe(featureLevel);
  for (const level of servedLevels) {
    vi.stubEnv("SKEIN_FEATURE_LEVEL", String(level));
    expect(advertisedLevel()).toBe(level);
  }
});

test.each(["422", "419", "4.2e2", "500", "x"])("the level %s is refused", (level) => {
  vi.stubEnv("SKEIN_FEATURE_LEVEL", level);

  expect(advertisedLevel).toThrow("SKEIN_FEATURE_LEVEL must be 420 or 421");
});
