import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { sizesOf } from "../../bench/bundle-sizes.ts";
import { type Bundles, bundleFleet } from "../../infra/build/bundle.ts";
import { loadFleet, type Member } from "../../infra/fleet.ts";
import { detectContent } from "../../shared/blobs/content-types.ts";
import { aPng } from "../support/files/pictures.ts";
import { removeAfterwards } from "./aws/synthesized.ts";

/** Checks the bundles of some different functions, as they are uploaded to Lambda. */

let some: Member[];
let bundles: Bundles;

beforeAll(async () => {
  const fleet = await loadFleet();
  some = fleet.filter(
    ({ resource, name }) =>
      resource === "reference" ||
      resource === "server" ||
      ["upload-file", "make-previews", "get-emoji", "serve-emoji"].includes(name),
  );
  bundles = await bundleFleet(some, removeAfterwards(mkdtempSync(join(tmpdir(), "skein-bundles-"))));
}, 60_000);

const filesOf = (member: Member) => readdirSync(bundles.folderOf(member));
const named = (wanted: string) => some.find(({ name }) => name === wanted) as Member;

test("a function bundles only the SDK clients that it calls", () => {
  const packages = new Map(sizesOf(bundles, some).map((size) => [size.name, size.packages]));

  expect(packages.get("emoji/serve-emoji")).toContain("@aws-sdk/client-s3");
  expect(packages.get("emoji/get-emoji")).not.toContain("@aws-sdk/client-s3");
  expect(packages.get("emoji/get-emoji")).toContain("@aws-sdk/client-dynamodb");
});

test("lazily loaded SDK modules are next to a function that uses the SDK, and can be loaded", async () => {
  expect(filesOf(named("unknown-route")).filter((name) => name.startsWith("sdk-"))).toEqual([]);
  const folder = bundles.folderOf(named("get-emoji"));
  const source = readdirSync(folder)
    .filter((name) => !name.startsWith("sdk-"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join();
  const later = [...new Set([...source.matchAll(/import\("\.\/(sdk-[\w-]+\.mjs)"\)/g)].map(([, name = ""]) => name))];

  const loaded = await Promise.all(later.map((name) => import(join(folder, name))));

  expect(later).toContain("sdk-credential-provider-ini.mjs");
  const provider = loaded
    .find((module) => "fromProcess" in module)
    ?.fromProcess({ profile: "none", filepath: "/none" });
  // The property by which the SDK's provider chain decides, in any bundle, whether to try the next provider.
  await expect(provider()).rejects.toMatchObject({ name: "CredentialsProviderError", tryNextLink: true });
});

test("only functions that decode pictures have the picture library and its worker thread", async () => {
  const carrying = some.filter((member) => existsSync(join(bundles.folderOf(member), "vips.wasm")));

  expect(carrying.map(({ name }) => name)).toEqual(["make-previews"]);
  expect(some.filter((member) => filesOf(member).includes("scaling-thread.mjs"))).toEqual(carrying);
  const thread = new Worker(join(bundles.folderOf(carrying[0] as Member), "scaling-thread.mjs"));
  const made = once(thread, "message");
  const options = { fit: "fill", boxes: [{ width: 100, height: 100 }], maxPixels: 1e6 };
  thread.postMessage({ id: 7, operation: "fitToBoxes", content: aPng(30, 20), options });
  const [{ id, result }] = await made;
  await thread.terminate();
  expect(id).toBe(7);
  expect(detectContent(result[0], "")).toEqual({ contentType: "image/png", width: 100, height: 100 });
});

test("generated files are only in the bundles of functions that name them", () => {
  for (const member of some) {
    const files = filesOf(member).filter((name) => name.endsWith(".gz"));
    expect(files.sort(), member.name).toEqual((member.spec.uses.built ?? []).map((name) => `${name}.gz`).sort());
  }
  const file = join(bundles.folderOf(named("get-openapi")), "openapi.json.gz");
  const document = JSON.parse(gunzipSync(readFileSync(file)).toString());
  expect(Object.keys(document.paths).length).toBeGreaterThan(1);
});
