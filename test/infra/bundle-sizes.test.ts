import { expect, test } from "vitest";
import { startsOf } from "../../infra/bundle.ts";
import { loadFleet } from "../../infra/fleet.ts";
import { type BundleSize, loadedKb, rendersText, sizesOf } from "../bench/bundle-sizes.ts";

test("no function parses more at its start than 400 KB, or 460 where it renders", async () => {
  const fleet = await loadFleet();

  const sizes = sizesOf({ metafileOf: await startsOf(fleet) }, fleet);

  const large = sizes.filter((size) => loadedKb(size) > (rendersText(size) ? 460 : 400));
  expect(large.map((size) => `${size.name}: ${Math.round(loadedKb(size))} KB`)).toEqual([]);
  // Those that render are few: whoever seldom does loads it then.
  expect(sizes.filter(rendersText).length).toBeLessThan(sizes.length / 6);
  // One build for all can be measured, and tells what a function's own does.
  expect(loadedKb(sizes.find(({ name }) => name === "messages/get-messages") as BundleSize)).toBeGreaterThan(250);
}, 300_000);
