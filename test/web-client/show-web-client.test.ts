import { expect, test } from "vitest";
import { send } from "../support/http.ts";

test("the page only runs its own script files, and is revalidated each time", async () => {
  const { status, headers, bytes } = await send("GET", "/", undefined, {});

  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
    200,
    "text/html; charset=utf-8",
    "no-cache",
  ]);
  const policy = String(headers["content-security-policy"]).split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  const html = bytes.toString();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(html).not.toMatch(/(src|href)="(?!\/client\/)/);
});

test("an unchanged page returns 304", async () => {
  const { headers } = await send("GET", "/", undefined, {});

  const again = await send("GET", "/", undefined, { headers: { "if-none-match": String(headers.etag) } });

  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});
