import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { compressReply } from "../../shared/services/http/compress.ts";
import type { HttpEvent } from "../../shared/services/http/event.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Replies that are too large for a function unless they are compressed. Lists are cut before, so these are made up. */

const longReply = { statusCode: 200, headers: {}, body: JSON.stringify({ text: "x".repeat(6_400_000) }) };

const compressed = (accept?: string) =>
  compressReply(longReply, { headers: accept === undefined ? {} : { "accept-encoding": accept } } as HttpEvent);

describe("a reply above Lambda's limit", () => {
  test.each<[string, string | undefined]>([
    ["accepts gzip", "br, gzip"],
    ["accepts any encoding", "identity;q=0.5, *"],
    ["sends no Accept-Encoding", undefined],
  ])("is compressed for a client that %s", async (_, accept) => {
    const { statusCode, headers, body = "", isBase64Encoded } = await compressed(accept);

    expect([statusCode, headers?.["content-encoding"], isBase64Encoded]).toEqual([200, "gzip", true]);
    expect(body.length).toBeLessThan(100_000);
    expect(gunzipSync(Buffer.from(body, "base64")).toString()).toBe(longReply.body);
  });

  test.each(["identity", "br, gzip;q=0", "gzip;q=0, *", ""])(
    "is an error that asks for gzip for a client that refuses it by '%s'",
    async (accept) => {
      await expect(compressed(accept)).rejects.toMatchObject({
        status: 406,
        message:
          "The reply is too large to be sent without gzip: allow gzip by 'Accept-Encoding', or request less data.",
      });
    },
  );
});

describe("a list that its owner made as long as possible", () => {
  let titania: Person;

  beforeAll(async () => {
    titania = await aPerson("Titania");
    for (let n = 0; n < 100; n++)
      // Each of these characters takes six bytes in JSON.
      await titania.do("POST", "/saved_snippets", { title: `${n}`, content: `${"\u0001".repeat(9999)}x` });
  }, 60_000);

  test.each<[string | undefined, string | undefined]>([
    ["br, gzip", "gzip"],
    ["identity", undefined],
    [undefined, undefined],
  ])("is sent to a client with Accept-Encoding %s with Content-Encoding %s", async (accept, encoding) => {
    const { status, headers, body } = await titania.call(
      "GET",
      "/saved_snippets",
      {},
      accept === undefined ? {} : { headers: { "accept-encoding": accept } },
    );

    expect([status, headers["content-encoding"]]).toEqual([200, encoding]);
    expect(body.saved_snippets.length).toBeGreaterThan(40);
  });
});
