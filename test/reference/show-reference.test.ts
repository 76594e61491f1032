import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { send } from "../support/http.ts";

const get = (path: string, headers: Record<string, string> = {}) => send("GET", path, undefined, { headers });

const partsOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="(\/reference\/[^"]+)"/g)].map(([, path]) => path ?? "");

test("the page has no inline script and may only load from its own host", async () => {
  const page = await get("/api");

  expect(page.status).toBe(200);
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.body).not.toMatch(/https?:\/\/|<style|<script>| on\w+=/);
});

test("the page's script and style sheet are compressed, and can be cached forever under their version", async () => {
  const parts = partsOf((await get("/api")).body);

  expect(parts).toHaveLength(2);
  for (const part of parts) {
    const compressed = await get(part, { "accept-encoding": "gzip" });
    const plain = await get(part);
    const otherVersion = await get(part.replace(/\?.*/, "?v=other"));
    expect(compressed.headers).toMatchObject({
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": expect.stringMatching(/^text\/(css|javascript); charset=utf-8$/),
      "x-content-type-options": "nosniff",
    });
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
    expect(otherVersion.status).toBe(200);
    expect(otherVersion.headers["cache-control"]).toBe("no-cache");
  }
});

test("an unchanged page returns 304", async () => {
  const { headers } = await get("/api");

  expect((await get("/api", { "if-none-match": String(headers.etag) })).status).toBe(304);
});

test("an unknown file name returns 404", async () => {
  const reply = await get("/reference/openapi.json");

  expect(reply.status).toBe(404);
  expect(reply.body).toEqual({ result: "error", msg: "Not found", code: "NOT_FOUND" });
});
