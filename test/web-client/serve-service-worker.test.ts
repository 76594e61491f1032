import { expect, test } from "vitest";
import { send } from "../support/http.ts";

const get = (path: string) => send("GET", path, undefined, {});

test("the worker is served at the root, is revalidated each time, and may only fetch from its own host", async () => {
  const { status, headers } = await get("/service-worker.js");

  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
    200,
    "text/javascript; charset=utf-8",
    "no-cache",
  ]);
  expect(headers["content-security-policy"]).toBe("default-src 'none'; connect-src 'self'");
});

test("an unchanged worker returns 304", async () => {
  const { headers } = await get("/service-worker.js");

  const again = await send("GET", "/service-worker.js", undefined, {
    headers: { "if-none-match": String(headers.etag) },
  });

  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

test("the worker caches all scripts and styles that the page refers to, and each of its files exists", async () => {
  const worker = (await get("/service-worker.js")).bytes.toString();
  const cachedPaths = new Set(worker.match(/\/client\/[\w-]+-[A-Z0-9]{8}\.\w+/g));
  const page = (await get("/")).bytes.toString();

  const referencedPaths = page.match(/\/client\/[\w-]+-[A-Z0-9]{8}\.\w+/g) ?? [];

  expect(referencedPaths.length).toBeGreaterThanOrEqual(2);
  expect(referencedPaths.filter((path) => !cachedPaths.has(path))).toEqual([]);
  for (const path of cachedPaths) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test("the manifest's icons exist, with the declared sizes", async () => {
  const manifest = JSON.parse((await get("/client/manifest.webmanifest")).bytes.toString());

  expect([manifest.start_url, manifest.scope, manifest.display]).toEqual(["/", "/", "standalone"]);
  for (const { src, sizes, type } of manifest.icons) {
    const { status, headers, bytes } = await get(src);
    expect([src, status, headers["content-type"]]).toEqual([src, 200, type]);
    // The width and height of a PNG file.
    if (type === "image/png") expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});
