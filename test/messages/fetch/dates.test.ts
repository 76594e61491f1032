import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTrace } from "../../../shared/base/observability/trace.ts";
import { idsSentIn } from "../../../shared/messaging/messages/fetch/sent-periods.ts";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { deleteMessage, findMessages } from "../../../shared/store/messages/messages.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { sendToChannel } from "../../support/messages.ts";
import { aHistory } from "../../support/table/seeding.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { aChannel, aPerson, isLocal, type Person } from "../../support/world.ts";

interface Sent {
  id: number;
  timestamp: number;
}

describe("messages by the time at which they were sent", () => {
  let prospero: Person;
  let ariel: Person;
  let isle: Channel;
  let early: Sent;
  let late: Sent;

  const wholeChannel = { anchor: "newest", num_before: 100, num_after: 0 };
  const fetchMessages = (narrow: unknown[], params: object = wholeChannel) =>
    prospero.call("GET", "/messages", { ...params, narrow: [["channel", isle.name], ...narrow] });
  const idsFound = async (...narrow: unknown[]) => {
    const { status, body } = await fetchMessages(narrow);
    expect([narrow, status]).toEqual([narrow, 200]);
    return body.messages.map(({ id }: Sent) => id);
  };
  const not = (operator: string, operand: unknown) => ({ operator, operand, negated: true });
  const is = (operator: string, operand: unknown) => ({ operator, operand });
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const send = async (text: string): Promise<Sent> => {
    const id = await sendToChannel(prospero, isle, "storms", text);
    return { id, timestamp: (await prospero.do("GET", `/messages/${id}`)).message.timestamp };
  };

  beforeAll(async () => {
    [prospero, ariel] = await Promise.all([aPerson("Prospero"), aPerson("Ariel")]);
    isle = await aChannel("isle", [prospero, ariel]);
    early = await send("a tempest");
    do late = await send(`tempests @**${ariel.name}|${ariel.id}**`);
    while (late.timestamp === early.timestamp);
  });

  test("before, after and date divide them, and are excluded", async () => {
    const ids = await idsFound();
    const earlier = ids.filter((id: number) => id < late.id);
    expect(await idsFound(is("before", late.timestamp))).toEqual(earlier);
    expect(await idsFound(is("date", late.timestamp))).toEqual([late.id]);
    expect(await idsFound(is("after", early.timestamp))).toEqual([late.id]);
    expect(await idsFound(is("after", iso(late.timestamp)))).toEqual([]);
    expect(await idsFound(not("before", late.timestamp))).toEqual([late.id]);
    expect(await idsFound(not("date", late.timestamp))).toEqual(earlier);
    expect(await idsFound(not("after", early.timestamp))).toEqual(earlier);
  });

  test("years, days and intervals in any time zone", async () => {
    const ids = await idsFound();
    const year = new Date(late.timestamp * 1000).getUTCFullYear();
    expect(await idsFound(is("after", `${year - 2}`), is("before", `${year + 2}`))).toEqual(ids);
    expect(await idsFound(is("after", `${year + 1}`))).toEqual([]);
    expect(await idsFound(is("before", "2001-09-09T01:46:40-08:00"))).toEqual([]);
    expect(await idsFound(is("date", `${iso(early.timestamp)}/${iso(late.timestamp + 1)}`))).toEqual(ids);
    expect(await idsFound(is("date", `${iso(late.timestamp)}/${iso(early.timestamp)}`))).toEqual([]);
  });

  test("together with searches and senders, and in lists", async () => {
    expect(await idsFound(is("search", "tempest"), is("after", early.timestamp))).toEqual([late.id]);
    expect(await idsFound(is("sender", ariel.id), is("after", "2020"))).toEqual([]);
    expect(await idsFound(is("sender", prospero.email), is("date", late.timestamp))).toEqual([late.id]);
    const listed = { msg_ids: [early.id, late.id], narrow: [["after", iso(early.timestamp)]] };
    const { messages } = await prospero.do("GET", "/messages/matches_narrow", listed);
    expect(Object.keys(messages)).toEqual([String(late.id)]);
  });

  test("anchor=date is the first one of the narrow from the date on, and the newest if there is none", async () => {
    const around = { anchor: "date", num_before: 100, num_after: 100 };
    const atLate = await fetchMessages([], { ...around, anchor_date: iso(late.timestamp) });
    expect(atLate.body).toMatchObject({ anchor: late.id, found_anchor: true, found_oldest: true, found_newest: true });
    expect(atLate.body.messages.map(({ id }: Sent) => id)).toEqual(await idsFound());
    const atStart = await fetchMessages([], { ...around, num_before: 0, num_after: 0, anchor_date: "1969-07-20" });
    expect(atStart.body.messages.map(({ id }: Sent) => id)).toEqual([early.id]);
    const after = await fetchMessages([], { ...around, anchor_date: "2999" });
    expect(after.body).toMatchObject({ anchor: 10_000_000_000_000_000, found_anchor: false });
    expect(after.body.messages.at(-1).id).toBe(late.id);
    const marked = await ariel.do("POST", "/messages/flags/narrow", {
      ...{ anchor: "date", anchor_date: iso(late.timestamp), num_before: 0, num_after: 10 },
      ...{ narrow: [["channel", isle.name]], op: "add", flag: "starred" },
    });
    expect(marked).toMatchObject({ first_processed_id: late.id, last_processed_id: late.id });
  });

  test("more than ten dates are refused before any is looked up", async () => {
    const dates = Array.from({ length: 11 }, (_, n) => is("after", `20${10 + n}`));

    expect(await fetchMessages(dates)).toMatchObject({ status: 400, body: { code: "BAD_NARROW" } });
    expect((await fetchMessages(dates.slice(1))).status).toBe(200);
  });

  test("mentions: the messages that mention a user by name", async () => {
    expect(await idsFound(is("mentions", ariel.id))).toContain(late.id);
    expect(await idsFound(is("mentions", ariel.email))).not.toContain(early.id);
    expect(await idsFound(is("mentions", prospero.id))).toEqual([]);
    const both = is("mentions", `${ariel.email},${prospero.email}`);
    expect(await fetchMessages([both])).toMatchObject({ status: 400, body: { code: "BAD_NARROW" } });
    expect(await idsFound(not("mentions", ariel.id))).toContain(early.id);
  });

  test.each([
    [{ narrow: [["before", "yesterday"]] }, "BAD_NARROW"],
    [{ narrow: [["date", "2024-02-30"]] }, "BAD_NARROW"],
    [{ narrow: [{ operator: "after", operand: ["2024"] }] }, "BAD_REQUEST"],
    [{ narrow: [["mentions", "nobody@tempest.test"]] }, "BAD_NARROW"],
    [{ anchor: "date" }, "REQUEST_VARIABLE_MISSING"],
    [{ anchor: "date", anchor_date: "soon" }, "BAD_REQUEST"],
    [{ anchor: "newest", anchor_date: "2024" }, "BAD_REQUEST"],
  ])("%j is refused", async (params, code) => {
    const { status, body } = await prospero.call("GET", "/messages", { ...wholeChannel, ...params });
    expect([status, body.code]).toEqual([400, code]);
  });
});

describe.skipIf(!isLocal())("in a long history (in a table of its own)", () => {
  beforeAll(useSeparateTable);
  afterAll(leaveSeparateTables);

  test("the messages of a period are found among few others by reading few, whatever has been deleted", async () => {
    const channel = { id: 1, recipientId: 1 } as Channel;
    const start = Date.parse("2024-01-01T00:00:00Z") / 1000;
    // Nights are quiet, and a clock may be some seconds behind.
    const sentAt = (index: number) =>
      start + Math.floor(index / 100) * 86_400 + (index % 100) * 300 - (index % 7 === 0 ? 20 : 0);
    const { first } = await aHistory(6000, { channel, senderId: () => 1, sentAt, text: () => "Full fathom five" });
    const deleted = await findMessages(Array.from({ length: 300 }, (_, index) => first + 2900 + index));
    for (const message of deleted) if (message) await transact(deleteMessage(message));
    for (const [from, to] of [
      [0, 1],
      [10, 11],
      [29, 31],
      [32, 33],
      [59, 90],
    ] as const) {
      const period = { start: start + from * 86_400, end: start + to * 86_400 };
      const { result: ids, trace } = await withTrace(() => idsSentIn(period));
      const isWithin = (index: number) => sentAt(index) >= period.start && sentAt(index) < period.end;
      const within = Array.from({ length: 6000 }, (_, index) => index).filter(isWithin);
      for (const index of within) expect(first + index).toBeGreaterThanOrEqual(ids.from);
      for (const index of within) expect(first + index).toBeLessThanOrEqual(ids.to);
      if (to < 29 || from > 33) expect(Math.min(ids.to, first + 6000) - ids.from).toBeLessThan(within.length + 200);
      expect(trace.readUnits).toBeLessThan(60);
    }
  });
});
