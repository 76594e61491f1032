import { expect, test } from "vitest";
import { type BundleSize, loadedKb, sizesOf } from "../../bench/bundle-sizes.ts";
import { startupMetafiles } from "../../infra/build/bundle.ts";
import { loadFleet } from "../../infra/fleet.ts";

/**
 * S3's client contains the schemas of all its operations; about 70 KB of them are unused here. The function that receives what services
 * send is measured with the code of all of them, some 6 KB each, although each is a file that is loaded at its first delivery; that of assistants reads whatever its tools read.
 */
const ofOne: Record<string, number> = { "integrations/receive": 560, "agents/call-mcp": 640 };
const limitKb = ({ name, rendersText, packages }: BundleSize) =>
  ofOne[name] ?? (packages.includes("@aws-sdk/client-s3") ? 535 : rendersText ? 510 : 470);

test("no function loads more than 470 KB at startup, 510 if it renders, or 535 if it calls S3, but for two", async () => {
  const fleet = await loadFleet();

  const sizes = sizesOf({ metafileOf: await startupMetafiles(fleet) }, fleet);

  const tooLarge = sizes.filter((size) => loadedKb(size) > limitKb(size));
  expect(tooLarge.map((size) => `${size.name}: ${Math.round(loadedKb(size))} KB`)).toEqual([]);
  // Few functions load the renderer at startup; those that seldom render load it on demand.
  expect(sizes.filter((size) => size.rendersText).length).toBeLessThan(sizes.length / 6);
  // A smaller size would mean that the measurement, in a single build of all functions, misses code of the function.
  expect(loadedKb(sizes.find(({ name }) => name === "messages/get-messages") as BundleSize)).toBeGreaterThan(250);
}, 300_000);
