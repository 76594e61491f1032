import { expect, test } from "vitest";
import { send } from "../support/http.ts";
import { aPerson } from "../support/world.ts";

test("the picture of :zulip: is served at the URL in rendered messages", async () => {
  const bottom = await aPerson("Bottom");
  const { rendered } = (await bottom.call("POST", "/messages/render", { content: ":zulip:" })).body;
  const [, address = ""] = /src="([^"]+)"/.exec(rendered) ?? [];

  const { status, headers, bytes } = await send("GET", address, undefined, {});

  expect(status).toBe(200);
  expect(headers).toMatchObject({ "content-type": "image/png", "cache-control": "public, max-age=86400" });
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  const revalidated = await send("GET", address, undefined, { headers: { "if-none-match": String(headers.etag) } });
  expect(revalidated.status).toBe(304);
});

test("the placeholder for a thumbnail in progress is served", async () => {
  const { status, headers, body } = await send("GET", "/static/images/loading/loader-black.svg", undefined, {});

  expect([status, headers["content-type"]]).toEqual([200, "image/svg+xml"]);
  expect(body).toContain("<svg");
});

test.each(["/static/images/none.png", "/static/generated/emoji/images/emoji/unicode/1f604.png", "/static/../x"])(
  "the unknown path %s returns 404",
  async (address) => {
    expect((await send("GET", address, undefined, {})).status).toBe(404);
  },
);
