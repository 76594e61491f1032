import { expect, test } from "vitest";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel, aPerson } from "../../support/world.ts";

test("a reply that cannot hold all messages has those nearest the anchor, and does not report its cut end as found", async () => {
  const timon = await aPerson("Timon");
  const cave = await aChannel("cave", [timon]);
  const { first, last } = await aHistory(120, {
    channel: cave,
    senderId: () => timon.id,
    opening: (index) => `${index} `.repeat(20_000).slice(0, 60_000),
  });
  const fetchAround = async (anchor: string | number, before: number, after: number) => {
    const { body } = await timon.call("GET", "/messages", {
      narrow: [["channel", cave.name]],
      anchor,
      num_before: before,
      num_after: after,
    });
    const ids = body.messages.map(({ id }: { id: number }) => id);
    return { ...body, ids, bytes: Buffer.byteLength(JSON.stringify(body)) };
  };

  const newest = await fetchAround("newest", 200, 0);
  const middle = await fetchAround(first + 60, 100, 100);

  expect(newest).toMatchObject({ found_newest: true, found_oldest: false });
  expect(newest.ids.at(-1)).toBe(last);
  expect(newest.ids.length).toBeGreaterThan(40);
  expect(newest.bytes).toBeLessThan(3_100_000);
  expect(middle).toMatchObject({ found_anchor: true, found_oldest: false, found_newest: false });
  let oldest = newest;
  while (!oldest.found_oldest) oldest = await fetchAround(oldest.ids[0], 200, 0);
  expect(oldest.ids[0]).toBe(first);
});

test("a page of messages is compressed if the client accepts gzip, and a short reply never is", async () => {
  const timon = await aPerson("Timon");
  const cave = await aChannel("cave", [timon]);
  await aHistory(50, { channel: cave, senderId: () => timon.id });
  const page = { narrow: [["channel", cave.name]], anchor: "newest", num_before: 100, num_after: 0 };
  const acceptingGzip = { headers: { "accept-encoding": "gzip" } };

  const compressed = await timon.call("GET", "/messages", page, acceptingGzip);
  const uncompressed = await timon.call("GET", "/messages", page);
  const shortReply = await timon.call("GET", "/users/me", {}, acceptingGzip);

  expect([compressed, uncompressed, shortReply].map(({ headers }) => headers["content-encoding"])).toEqual([
    "gzip",
    undefined,
    undefined,
  ]);
  expect(compressed.body).toEqual(uncompressed.body);
  expect(compressed.bytes.length).toBeLessThan(uncompressed.bytes.length / 4);
});
