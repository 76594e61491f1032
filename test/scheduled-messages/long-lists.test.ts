import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { aPerson, type Person } from "../support/world.ts";

/** A list of more than 6 MB, as an example of replies that are too large for a function unless they are compressed. */

const snippetCount = 100;
let titania: Person;

beforeAll(async () => {
  titania = await aPerson("Titania");
  for (let n = 0; n < snippetCount; n++)
    // Each of these characters takes six bytes in JSON.
    await titania.do("POST", "/saved_snippets", { title: `${n}`, content: `${"\u0001".repeat(9999)}x` });
}, 60_000);

const list = (accept?: string) =>
  titania.call("GET", "/saved_snippets", {}, accept === undefined ? {} : { headers: { "accept-encoding": accept } });

test.each<[string, string | undefined]>([
  ["accepts gzip", "br, gzip"],
  ["accepts any encoding", "identity;q=0.5, *"],
  ["sends no Accept-Encoding", undefined],
])("a client that %s gets a compressed reply", async (_, accept) => {
  const { status, headers, bytes, body } = await list(accept);

  expect([status, headers["content-encoding"]]).toEqual([200, "gzip"]);
  expect(bytes.length).toBeLessThan(500_000);
  expect(gunzipSync(bytes).length).toBeGreaterThan(5_900_000);
  expect(body.saved_snippets).toHaveLength(snippetCount);
});

test.each(["identity", "br, gzip;q=0", "gzip;q=0, *", ""])(
  "a client that refuses gzip by '%s' gets an error that asks for gzip",
  async (accept) => {
    const { status, headers, body } = await list(accept);

    expect(status).toBe(406);
    expect(headers["content-encoding"]).toBeUndefined();
    expect(body).toEqual({
      result: "error",
      code: "BAD_REQUEST",
      msg: "The reply is too large to be sent without gzip: allow gzip by 'Accept-Encoding', or request less data.",
    });
  },
);

test("a reply that fits is sent uncompressed to clients without Accept-Encoding", async () => {
  const reply = await titania.call("GET", "/users/me");

  expect(reply.headers["content-encoding"]).toBeUndefined();
  expect(reply.body.user_id).toBe(titania.id);
});
