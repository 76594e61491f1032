import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { inSeconds } from "../support/waiting.ts";
import { fetchWhole } from "./whole-reply.ts";

/**
 * For the lists that contain texts of messages, builds the largest state that the API lets a person build: the reply is a page within
 * Lambda's limit, also for a client that refuses compressed replies. `largest-lists.test.ts` has the other lists.
 */

const [attacker, victim] = ["owner@globe.test", "viola@globe.test"];
/** Each of these characters takes six bytes in JSON, and seven in the JSON of a function's response. */
const control = `${"\u0001".repeat(9990)}x`;
const quotes = '"'.repeat(9990);
/** Outside the Basic Multilingual Plane, and not an emoji. */
const astral = "𝕏".repeat(9990);

let host: PrivateHost;
let queueId: string;
let ids: { first: number; edited: number; poll: number };

const repeat = (count: number, call: (n: number) => Promise<unknown>) =>
  Array.from({ length: Math.ceil(count / 4) }, (_, n) => n).reduce(
    (before, n) =>
      before.then(async () => {
        await Promise.all([0, 1, 2, 3].filter((k) => n * 4 + k < count).map((k) => call(n * 4 + k)));
      }),
    Promise.resolve(),
  );

async function send(content: string): Promise<number> {
  return (await host.do(attacker, "POST", "/messages", { type: "direct", to: [victim], content })).id;
}

beforeAll(async () => {
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off" });
  queueId = (await host.do(victim, "POST", "/register", { fetch_event_types: [] })).queue_id;
  const first = await send(control);
  await repeat(100, (n) => send([control, quotes, astral][n % 3] as string));
  const edited = await send(astral);
  for (let n = 0; n < 110; n++) await host.do(attacker, "PATCH", `/messages/${edited}`, { content: `${n} ${astral}` });
  // About as many as a message may have.
  await send("👍".repeat(1400));
  const poll = await send(`/poll ${quotes.slice(0, 900)}\n${`${quotes.slice(0, 40)}\n`.repeat(200)}`);
  const option = { type: "new_option", option: control.slice(0, 1000) };
  for (const person of [attacker, victim])
    await repeat(120, (idx) =>
      host.as(person, "POST", "/submessage", {
        message_id: poll,
        msg_type: "widget",
        content: JSON.stringify({ ...option, idx }),
      }),
    );
  ids = { first, edited, poll };
  await repeat(100, (n) => host.do(victim, "POST", "/saved_snippets", { title: `${n}`, content: control }));
  const { user_id } = await host.do(victim, "GET", "/users/me");
  await repeat(60, (n) =>
    host.do(victim, "POST", "/scheduled_messages", {
      ...{ type: "direct", to: [user_id], content: control },
      scheduled_delivery_timestamp: inSeconds(86_400 + n),
    }),
  );
  await repeat(60, () =>
    host.do(victim, "POST", "/reminders", { message_id: first, scheduled_delivery_timestamp: inSeconds(86_400) }),
  );
  await repeat(8, () =>
    host.do(victim, "POST", "/drafts", {
      drafts: Array.from({ length: 8 }, () => ({ type: "", to: [], topic: "", content: control })),
    }),
  );
}, 280_000);
afterAll(async () => host?.stop());

const range = (anchor: string | number, before: number, after: number) =>
  `/messages?anchor=${anchor}&num_before=${before}&num_after=${after}`;

describe("a page of messages within the limit", () => {
  test.each(["", "&apply_markdown=false"])("fetched backwards to the beginning, none is missing%s", async (option) => {
    const found = new Set<number>();
    let page = await fetchWhole(host, victim, range("newest", 1000, 0) + option);
    expect(page).toMatchObject({ found_newest: true, found_oldest: false });
    for (; ; page = await fetchWhole(host, victim, range(page.messages[0].id, 1000, 0) + option)) {
      for (const { id } of page.messages) found.add(id);
      if (page.found_oldest) break;
      expect(page.messages.length).toBeGreaterThan(1);
    }
    for (let id = ids.first; id <= ids.poll; id++) expect(found).toContain(id);
  });

  test("the anchor is included, and fetching forwards reaches the newest", async () => {
    let page = await fetchWhole(host, victim, range(ids.first + 50, 100, 100));
    expect(page).toMatchObject({ found_anchor: true, found_newest: false });
    while (!page.found_newest) page = await fetchWhole(host, victim, range(page.messages.at(-1).id, 0, 1000));
    expect(page.messages.at(-1).id).toBe(ids.poll);
  });

  test("a list of IDs", async () => {
    const all = Array.from({ length: ids.poll - ids.first + 1 }, (_, index) => ids.first + index);
    const { messages } = await fetchWhole(host, victim, `/messages?message_ids=${JSON.stringify(all)}`);
    expect(messages[0].id).toBe(ids.first);
    const narrow = encodeURIComponent('[["is","dm"]]');
    await fetchWhole(host, victim, `/messages/matches_narrow?msg_ids=${JSON.stringify(all)}&narrow=${narrow}`);
  });
});

test("one message, its history and its widget", async () => {
  const { message } = await fetchWhole(host, victim, `/messages/${ids.edited}`);
  expect(message.edit_history).toHaveLength(110);
  const startedAt = performance.now();
  expect((await fetchWhole(host, victim, `/messages/${ids.edited}/history`)).message_history).toHaveLength(111);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  const poll = (await fetchWhole(host, victim, `/messages/${ids.poll}`)).message;
  expect(poll.submessages.length).toBeGreaterThan(20);
});

test("events, poll by poll", async () => {
  const edits = new Set<number>();
  for (let last = -1; ; ) {
    const { events } = await fetchWhole(
      host,
      victim,
      `/events?queue_id=${queueId}&last_event_id=${last}&dont_block=true`,
    );
    if (events.length === 0) break;
    for (const { id, type } of events) if (type === "update_message") edits.add(id);
    last = events.at(-1).id;
  }
  expect(edits.size).toBe(110);
});

describe("a person's own lists", () => {
  test.each([
    ["/scheduled_messages", "scheduled_messages"],
    ["/reminders", "reminders"],
    ["/drafts", "drafts"],
    ["/saved_snippets", "saved_snippets"],
  ])("%s", async (path, field) => {
    expect((await fetchWhole(host, victim, path))[field].length).toBeGreaterThan(20);
  });
});
