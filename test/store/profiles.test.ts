import { expect } from "vitest";
import { findCachedProfiles } from "../../shared/services/identity/profiles.ts";
import { aPerson, localTest } from "../support/world.ts";

localTest("the test calls the code")(
  "a cached profile is among those found although somebody reads it with another version meanwhile",
  async () => {
    const [orsino, olivia] = [await aPerson("Orsino"), await aPerson("Olivia")];
    const [version, newer] = [-1, -2];
    await findCachedProfiles([orsino.id], version);

    const [, found] = await Promise.all([
      findCachedProfiles([orsino.id], newer),
      findCachedProfiles([orsino.id, olivia.id], version),
    ]);

    expect([...found.keys()].sort((a, b) => a - b)).toEqual([orsino.id, olivia.id]);
  },
);
