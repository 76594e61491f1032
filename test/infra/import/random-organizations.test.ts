import { afterAll, expect, test } from "vitest";
import { problemsOf } from "../../support/files/zulip-format.ts";
import { aPrivateHost } from "../../support/hosts/private-host.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { differencesBetween, exportFrom } from "./archive-content.ts";
import { moveIn } from "./moving-in.ts";
import { fillAtRandom } from "./random-organization.ts";

/** Whole organizations at random survive an export, an import and another export. More of them with SKEIN_MODEL_RUNS. */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 2);
const steps = 250;
const owner = "owner@globe.test";

for (let run = 0; run < runs; run++) {
  const source = await aPrivateHost();
  afterAll(() => source.stop());
  const counts = await fillAtRandom(source, randomFrom(seed + run), steps);
  const first = await exportFrom((path, params) => source.do(owner, params ? "POST" : "GET", path, params ?? {}));
  const { runImport, startHost } = moveIn("export-1.tar.gz", Object.fromEntries(first.files));

  test(`a random organization survives export and import (SKEIN_SEED=${seed + run})`, async () => {
    expect(counts.refused / counts.made).toBeLessThan(0.4);
    const said = await runImport();
    expect(said).toContain("has been imported");
    expect(said).not.toMatch(/^.*(?:not as Zulip writes|not possible here).*$/m);
    const callAs = await startHost();
    for (const { delivery_email, allow_private_data_export, is_active } of first.tables.zerver_userprofile ?? [])
      if (allow_private_data_export && is_active)
        await (await callAs(delivery_email))("PATCH", "/settings", { allow_private_data_export: true });
    const asOwner = await callAs(owner);

    const second = await exportFrom((path, params) => asOwner(params ? "POST" : "GET", path, params ?? {}));

    expect.soft(problemsOf(first.tables)).toEqual([]);
    expect.soft(problemsOf(second.tables)).toEqual([]);
    expect.soft(differencesBetween(first, second)).toEqual([]);
  }, 240_000);
}
