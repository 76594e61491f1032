import { beforeAll, expect, test } from "vitest";
import { withTrace } from "../../../shared/base/observability/trace.ts";
import { listUnread } from "../../../shared/messaging/messages/flags/unread-list.ts";
import { Reader } from "../../../shared/messaging/messages/reader.ts";
import { toCaller } from "../../../shared/services/identity/access.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { withRequestScope } from "../../../shared/store/table/recent-writes.ts";
import { findAccount } from "../../../shared/store/users/accounts.ts";
import { sendDirect } from "../../support/messages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { aChannel, aPerson, costTest, type Person } from "../../support/world.ts";

let petruchio: Person;
let kate: Person;
let [padua, verona, pisa]: Channel[] = [];
/** All messages that Kate received, by ascending ID. */
let sent: number[];

beforeAll(async () => {
  [petruchio, kate] = await Promise.all([aPerson("Petruchio"), aPerson("Kate")]);
  [padua, verona, pisa] = await Promise.all(["Padua", "Verona", "Pisa"].map((name) => aChannel(name, [kate])));
  sent = [];
  for (const [channel, count] of [
    [padua, 300],
    [verona, 40],
    [padua, 60],
    [verona, 500],
    [pisa, 5],
  ] as const) {
    const { first } = await aHistory(count, { channel: channel as Channel, senderId: () => petruchio.id });
    sent.push(...Array.from({ length: count }, (_, index) => first + index));
    sent.push(await sendDirect(petruchio, [kate]));
  }
}, 120_000);

const list = async (maxMessages?: number, channelId?: number) => {
  const account = await findAccount(kate.email);
  if (!account) throw new Error("There is no account");
  const reader = new Reader(toCaller(account), await loadRealm());
  const { result, trace } = await withTrace(() =>
    withRequestScope(() => listUnread(reader, { channelId }, maxMessages)),
  );
  return { ids: result.messages.map(({ id }) => id), isCut: result.isCut, ...trace };
};

test("unread messages are listed from all channels and conversations in ascending order", async () => {
  expect(await list()).toMatchObject({ ids: sent, isCut: false });
});

test.each([1, 2, 10, 100, 507, 700, 909])(
  "if there are too many, only the newest %i are listed, across channels and conversations",
  async (maxMessages) => {
    expect(await list(maxMessages)).toMatchObject({ ids: sent.slice(-maxMessages), isCut: true });
  },
);

test("a list of exactly the maximum length is complete", async () => {
  expect(await list(sent.length)).toMatchObject({ ids: sent, isCut: false });
});

test("read messages in between do not count towards the maximum", async () => {
  const readIds = sent.slice(-400, -20).filter((_, index) => index % 7 > 0 || index < 200);
  const { body } = await kate.call("POST", "/messages/flags", { messages: readIds, op: "add", flag: "read" });
  expect(body.result).toBe("success");
  const unread = sent.filter((id) => !readIds.includes(id));

  expect(await list()).toMatchObject({ ids: unread, isCut: false });
  for (const maxMessages of [15, 30, 40, 200])
    expect(await list(maxMessages)).toMatchObject({ ids: unread.slice(-maxMessages), isCut: true });
});

costTest("listing the newest ten costs less than half of listing all unread messages", async () => {
  const [newestTen, complete] = [await list(10), await list()];

  expect(newestTen.readUnits).toBeLessThan(complete.readUnits / 2);
  expect(newestTen.tableCalls).toBeLessThan(20);
});
