import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { sizesOf } from "../../bench/bundle-sizes.ts";
import { type Bundles, bundleFleet } from "../../infra/build/bundle.ts";
import { type FleetMember, loadFleet } from "../../infra/fleet.ts";
import { detectContent } from "../../shared/services/blobs/content-types.ts";
import { aPng } from "../support/files/pictures.ts";
import { removeAfterwards } from "./aws/synthesized.ts";

/** Checks the bundles of a sample of functions, as they are uploaded to Lambda. */

let members: FleetMember[];
let bundles: Bundles;

beforeAll(async () => {
  const fleet = await loadFleet();
  members = fleet.filter(
    ({ resource, name }) =>
      resource === "reference" ||
      resource === "server" ||
      ["upload-file", "make-previews", "get-emoji", "serve-emoji", "receive"].includes(name),
  );
  bundles = await bundleFleet(members, removeAfterwards(mkdtempSync(join(tmpdir(), "skein-bundles-"))));
}, 60_000);

const filesOf = (member: FleetMember) => readdirSync(bundles.folderOf(member));
const memberNamed = (wantedName: string) => members.find(({ name }) => name === wantedName) as FleetMember;

test("a function bundles only the SDK clients that it calls", () => {
  const packages = new Map(sizesOf(bundles, members).map((size) => [size.name, size.packages]));

  expect(packages.get("emoji/serve-emoji")).toContain("@aws-sdk/client-s3");
  expect(packages.get("emoji/get-emoji")).not.toContain("@aws-sdk/client-s3");
  expect(packages.get("emoji/get-emoji")).toContain("@aws-sdk/lib-dynamodb");
});

test("a function has no SDK module that Lambda does not need, and can be loaded without them", async () => {
  const folder = bundles.folderOf(memberNamed("get-emoji"));
  const unneeded = readdirSync(folder).filter((name) => name.startsWith("unneeded-"));

  expect(unneeded).toHaveLength(1);
  await expect(import(join(folder, unneeded[0] ?? ""))).rejects.toThrow("without this module of the AWS SDK");
  expect(await import(join(folder, "index.mjs"))).toMatchObject({ handler: expect.any(Function) });
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(texts.filter((text) => text.includes("AWS_WEB_IDENTITY_TOKEN_FILE"))).toEqual([]);
});

test("what is loaded on demand is next to the functions that render text, and can be loaded", async () => {
  const folder = bundles.folderOf(memberNamed("receive"));

  const katex = await import(join(folder, "lazy-katex.mjs"));
  const { highlight } = await import(join(folder, "lazy-highlight.mjs"));

  expect(katex.default.renderToString("x")).toContain("katex");
  expect(highlight("1", "python")).toContain("<span");
  expect(filesOf(memberNamed("get-emoji")).filter((name) => name.startsWith("lazy-"))).toEqual([]);
});

test("only functions that decode pictures have the picture library and its worker thread", async () => {
  const decoders = members.filter((member) => existsSync(join(bundles.folderOf(member), "vips.wasm")));

  expect(decoders.map(({ name }) => name)).toEqual(["make-previews"]);
  expect(members.filter((member) => filesOf(member).includes("scaling-thread.mjs"))).toEqual(decoders);
  const thread = new Worker(join(bundles.folderOf(decoders[0] as FleetMember), "scaling-thread.mjs"));
  const reply = once(thread, "message");
  const options = { fit: "fill", boxes: [{ width: 100, height: 100 }], maxPixels: 1e6 };
  thread.postMessage({ id: 7, operation: "fitToBoxes", content: aPng(30, 20), options });
  const [{ id, result }] = await reply;
  await thread.terminate();
  expect(id).toBe(7);
  expect(detectContent(result[0], "")).toEqual({ contentType: "image/png", width: 100, height: 100 });
});

test("generated files are only in the bundles of functions that name them", () => {
  for (const member of members) {
    const files = filesOf(member).filter((name) => name.endsWith(".gz"));
    expect(files.sort(), member.name).toEqual((member.spec.uses.built ?? []).map((name) => `${name}.gz`).sort());
  }
  const file = join(bundles.folderOf(memberNamed("get-openapi")), "openapi.json.gz");
  const document = JSON.parse(gunzipSync(readFileSync(file)).toString());
  expect(Object.keys(document.paths).length).toBeGreaterThan(1);
});

test("an integration's file is loaded when it is called, and contains no other integration", () => {
  const { outputs } = bundles.metafileOf(memberNamed("receive"));
  const services = (path: string) =>
    Object.keys(outputs[path]?.inputs ?? {}).filter((source) =>
      source.startsWith("shared/features/integrations/webhooks/"),
    );
  const loadedWith = (path: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? [])
      if (kind === "import-statement" && !external) loadedWith(imported, seen);
    return seen;
  };
  const startup = Object.keys(outputs).find((path) => path.endsWith("/index.mjs")) ?? "";

  expect([...loadedWith(startup)].flatMap(services)).toEqual([]);
  const files = Object.keys(outputs).filter((path) => services(path).length > 0);
  expect(files.length).toBeGreaterThan(14);
  for (const file of files) expect([...loadedWith(file)].flatMap(services)).toHaveLength(1);
});
