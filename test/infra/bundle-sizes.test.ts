import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Bundles, bundleFleet } from "../../infra/bundle.ts";
import { loadFleet, type Member } from "../../infra/fleet.ts";
import { type BundleSize, loadedKb, rendersText, sizesOf } from "../bench/bundle-sizes.ts";
import { removeAfterwards } from "./synthesized.ts";

let fleet: Member[];
let bundles: Bundles;

beforeAll(async () => {
  fleet = await loadFleet();
  bundles = await bundleFleet(fleet, removeAfterwards(mkdtempSync(join(tmpdir(), "skein-bundles-"))));
});

test("puts each function alone into its folder, small enough to start fast", () => {
  for (const member of fleet) {
    const source = readFileSync(join(bundles.folderOf(member), "index.mjs"), "utf8");
    expect(source.length, member.name).toBeLessThan(400_000);
  }
});

test("no function is larger at its start than what it does asks for: 400 KB, more where it renders, matches, keeps files or registers", () => {
  const sizes = sizesOf(bundles.metafile, fleet);
  const most = (size: BundleSize) => {
    if (rendersText(size)) return 560;
    if (size.packages.includes("@aws-sdk/client-s3")) return 600;
    if (size.packages.includes("re2js")) return 460;
    return size.name.startsWith("events/") ? 420 : 400;
  };

  const large = sizes.filter((size) => loadedKb(size) > most(size));

  expect(large.map((size) => `${size.name}: ${Math.round(loadedKb(size))} KB`)).toEqual([]);
  expect(sizes.filter((size) => most(size) <= 420).length).toBeGreaterThan(sizes.length / 2);
});
