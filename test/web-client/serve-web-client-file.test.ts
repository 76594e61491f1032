import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { send } from "../support/http.ts";

const page = async () => (await send("GET", "/", undefined, {})).bytes.toString();

test("files that the page refers to exist, and are cacheable forever if their name contains a hash", async () => {
  const names = [...(await page()).matchAll(/(?:src|href)="(\/client\/[^"]+)"/g)].map(([, name = ""]) => name);

  expect(names.length).toBeGreaterThanOrEqual(4);
  for (const name of names) {
    const { status, headers } = await send("GET", name, undefined, {});
    expect([name, status]).toEqual([name, 200]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe(
      /-[A-Z0-9]{8}\./.test(name) ? "public, max-age=31536000, immutable" : "public, max-age=3600",
    );
  }
});

test("the initial load is at most 110 KB", async () => {
  const names = [...(await page()).matchAll(/(?:src|href)="(\/client\/[^"]+\.(?:js|css))"/g)].map(
    ([, name = ""]) => name,
  );

  const sizes = await Promise.all(
    names.map(async (name) => gzipSync((await send("GET", name, undefined, {})).bytes).length),
  );

  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(110_000);
});

test.each(["/client/index.html", "/client/nothing.js", "/client/__proto__", "/client/..%2Fpackage.json"])(
  "%s returns 404",
  async (path) => {
    const { status, body } = await send("GET", path, undefined, {});

    expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
  },
);
