import { afterAll, beforeAll, expect, test } from "vitest";
import { createMessage } from "../../shared/store/messages/messages.ts";
import { compressIfLong } from "../../shared/store/table/packing.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { itemsOf } from "../support/table/seeding.ts";
import { fetchWhole } from "./whole-reply.ts";

/** Messages that together take more memory than a function has are fetched in pages. */

const owner = "owner@globe.test";
const large = Array.from({ length: 1000 }, (_, n) => 1000 + n);
const small = Array.from({ length: 200 }, (_, n) => 2000 + n);

let host: PrivateHost;
let channelId: number;

beforeAll(async () => {
  host = await aPrivateHost({}, undefined, ["--max-old-space-size=512"]);
  await host.do(owner, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "tables" }] });
  channelId = (await host.do(owner, "GET", "/get_stream_id", { stream: "tables" })).stream_id;
  const { user_id: senderId } = await host.do(owner, "GET", "/users/me");
  // As rendered from a table of 3,300 characters. With a character that is not in Latin-1, each takes two bytes.
  const content = "|".repeat(3300);
  const packedHtml = compressIfLong(`${"<td></td>".repeat(111_000)}語`);
  const itemOf = (id: number) => {
    const place = { channelId, topic: "t", recipientId: channelId };
    return itemsOf(createMessage({ ...place, id, senderId, content, html: "", sentAt: 1, client: "test" }));
  };
  await seedTable(host, [
    ...large.flatMap((id) => itemOf(id).map((item) => ({ ...item, html: undefined, packedHtml }))),
    ...small.flatMap(itemOf),
  ]);
}, 280_000);
afterAll(async () => host?.stop());

test.each(["true", "false"])("a thousand messages of 2 MB, with apply_markdown=%s", async (applyMarkdown) => {
  const narrow = encodeURIComponent(JSON.stringify([{ operator: "channel", operand: channelId }]));
  const fetchPage = (anchor: number | "newest") => {
    const page = `anchor=${anchor}&num_before=1200&num_after=0&narrow=${narrow}`;
    return fetchWhole(host, owner, `/messages?${page}&apply_markdown=${applyMarkdown}`);
  };

  const newest = await fetchPage("newest");
  expect(newest).toMatchObject({ found_newest: true, found_oldest: false });
  const found = newest.messages.map(({ id }: { id: number }) => id);
  expect(found).toEqual([...large, ...small].slice(-found.length));
  expect(found.length).toBeGreaterThan(small.length);
  const older = await fetchPage(large.at(-1) as number);
  expect(older).toMatchObject({ found_anchor: true, found_oldest: false });
  expect(older.messages.length).toBeGreaterThan(1);
});
