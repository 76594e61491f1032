import { beforeAll, describe, type ExpectStatic, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { type Connection, connectionUrl, connectQueue, opens } from "../support/connection.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Clients that wait for their events at a WebSocket. */

let orsino: Person;
let viola: Person;
let illyria: Channel;

beforeAll(async () => {
  [orsino, viola] = await Promise.all([aPerson("Orsino"), aPerson("Viola")]);
  illyria = await aChannel("illyria", [orsino, viola]);
});

const register = (person: Person, options: Record<string, unknown> = { event_types: ["message"] }) =>
  person.do("POST", "/register", { fetch_event_types: [], ...options });
const connect = async (person: Person, options?: Record<string, unknown>) =>
  connectQueue(person, await register(person, options));
const textsOf = ({ events }: Connection) => events.map(({ message }) => message?.content);

/** Before the others, because while somebody is connected the host follows the log anyway. */
test("the first connection is told of what another process writes right after it was opened", async () => {
  const antonio = await aPerson("Antonio");
  const connection = await connect(antonio, { event_types: ["subscription"] });

  // Written by the test's own process.
  const island = await aChannel("island", [antonio]);

  const namesOf = () => connection.events.flatMap(({ op, subscriptions }) => (op === "add" ? subscriptions : []));
  await expect.poll(() => namesOf().map(({ name }) => name)).toEqual([island.name]);
  connection.close();
});

describe.concurrent("a connection", () => {
  test("receives each event once and in order, as a poll does", async ({ expect }) => {
    const words = ["one", "two", "three", "four"];
    const ownEvents = (events: any[]) => events.filter(({ message }) => words.includes(message.content));
    const [viewer, queue] = await Promise.all([connect(viola), register(viola)]);

    for (const word of words.slice(0, 3)) await sendToChannel(orsino, illyria, "music", word);
    await sendDirect(orsino, [viola], "four");

    await expect.poll(() => ownEvents(viewer.events)).toHaveLength(words.length);
    const { queue_id, last_event_id } = queue;
    const { events: polled } = await viola.do("GET", "/events", { queue_id, last_event_id, dont_block: true });
    const withoutId = ({ id: _, ...event }: any) => event;
    expect(ownEvents(viewer.events).map(({ message }) => message.content)).toEqual(words);
    expect(ownEvents(viewer.events).map(withoutId)).toEqual(ownEvents(polled).map(withoutId));
    const ids = viewer.events.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    viewer.close();
  });

  test("is told of what happened before it was opened, and while it was not", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const queue = await register(antonio);
    await sendDirect(orsino, [antonio], "before");
    const first = await connectQueue(antonio, queue);
    await expect.poll(() => textsOf(first)).toEqual(["before"]);
    first.close();

    await sendDirect(orsino, [antonio], "while it was closed");
    const second = await connectQueue(antonio, { ...queue, last_event_id: first.seen });
    await sendDirect(orsino, [antonio], "after");

    await expect.poll(() => textsOf(second)).toEqual(["while it was closed", "after"]);
    second.close();
  });

  test("is told of a channel that was left before it was opened and joined again since", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const ship = await aChannel("ship", [orsino, antonio]);
    const queue = await register(antonio);
    (await connectQueue(antonio, queue)).close();
    await antonio.do("DELETE", "/users/me/subscriptions", { subscriptions: [ship.name] });
    const connection = await connectQueue(antonio, queue);

    await antonio.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: ship.name }] });
    // Until this arrives, the connection is told of everything since its latest acknowledgement.
    await sendDirect(orsino, [antonio], "I know not");
    await expect.poll(() => textsOf(connection)).toEqual(["I know not"]);
    await sendToChannel(orsino, ship, "chase", "Will you stay no longer");

    await expect.poll(() => textsOf(connection)).toEqual(["I know not", "Will you stay no longer"]);
    connection.close();
  });

  test("is told again of what it did not acknowledge, and the client drops what it has", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const connection = await connect(antonio);
    const id = await sendDirect(orsino, [antonio], "lost");
    await expect.poll(() => textsOf(connection)).toEqual(["lost"]);

    connection.acknowledge(-1);

    const isAnswer = (message: any) => message.after === -1 && message.events?.[0]?.message.id === id;
    await expect.poll(() => connection.messages.filter(isAnswer).length).toBeGreaterThan(0);
    expect(textsOf(connection)).toEqual(["lost"]);
    connection.close();
  });

  test("a client that polls instead continues its queue, and nothing more is sent to the connection", async ({
    expect,
  }) => {
    const antonio = await aPerson("Antonio");
    const queue = await register(antonio);
    const connection = await connectQueue(antonio, queue);
    await sendDirect(orsino, [antonio], "by the connection");
    await expect.poll(() => textsOf(connection)).toEqual(["by the connection"]);

    const params = { queue_id: queue.queue_id, last_event_id: connection.seen };
    const polling = antonio.do("GET", "/events", params);
    await sendDirect(orsino, [antonio], "by the poll");
    const { events } = await polling;
    await sendDirect(orsino, [antonio], "later");
    const rest = await antonio.do("GET", "/events", { ...params, last_event_id: events.at(-1).id });
    connection.acknowledge();

    expect(events.map(({ message }: any) => message.content)).toEqual(["by the poll"]);
    expect(rest.events.map(({ message }: any) => message.content)).toEqual(["later"]);
    await expect.poll(() => connection.closeCode).toBeDefined();
    expect(textsOf(connection)).not.toContain("later");
  });

  test("a newer connection of the queue ends the older one", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const queue = await register(antonio);
    const older = await connectQueue(antonio, queue);
    const newer = await connectQueue(antonio, queue);

    await sendDirect(orsino, [antonio], "to the newer one");

    await expect.poll(() => textsOf(newer)).toEqual(["to the newer one"]);
    await expect.poll(() => older.closeCode).toBeDefined();
    newer.close();
  });

  test("receives events that are too large for a message by GET /events", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const connection = await connect(antonio);
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(9_990));

    for (const text of texts) await sendDirect(orsino, [antonio], text);
    connection.acknowledge(-1);

    await expect.poll(() => textsOf(connection)).toEqual(texts);
    // The events may have come one by one before the answer.
    await expect.poll(() => connection.messages).toContainEqual({ type: "look", through: expect.any(Number) });
    await sendDirect(orsino, [antonio], "short");
    await expect.poll(() => textsOf(connection).at(-1)).toBe("short");
    for (const message of connection.messages) expect(JSON.stringify(message).length).toBeLessThanOrEqual(32 * 1024);
    connection.close();
  });

  test("receives the messages of a channel from the join on, and none after leaving it", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const channel = await aChannel("harbour", [orsino]);
    const connection = await connect(antonio);
    const subscriptions = [{ name: channel.name }];

    await antonio.do("POST", "/users/me/subscriptions", { subscriptions });
    await sendToChannel(orsino, channel, "ships", "arrived");
    await sendToChannel(orsino, channel, "ships", "unloaded");
    await expect.poll(() => textsOf(connection).filter(Boolean)).toEqual(["arrived", "unloaded"]);
    await antonio.do("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name] });
    await sendToChannel(orsino, channel, "ships", "left");
    await sendDirect(orsino, [antonio], "the end");

    await expect.poll(() => textsOf(connection).filter(Boolean)).toEqual(["arrived", "unloaded", "the end"]);
    connection.close();
  });

  test("reports its user, which holds until its next report, and gets the presences of others", async ({ expect }) => {
    const [antonio, sebastian] = await Promise.all([aPerson("Antonio"), aPerson("Sebastian")]);
    const queue = await antonio.do("POST", "/register", {
      event_types: ["message"],
      fetch_event_types: ["presence"],
      slim_presence: true,
    });
    const connection = await connectQueue(antonio, queue);
    const ask = { presence_last_update_id: queue.presence_last_update_id };
    await sebastian.do("POST", "/users/me/presence", { status: "idle", ping_only: true });
    const nowSeconds = Date.now() / 1000;

    connection.acknowledge(undefined, { presence: "active", ...ask });

    const answer = () => connection.messages.find(({ presences }) => presences);
    await expect.poll(answer).toBeDefined();
    const { presences, presence_last_update_id, type } = answer();
    expect(type).toBe("events");
    expect(presence_last_update_id).toBeGreaterThan(queue.presence_last_update_id);
    expect(Math.abs(presences[sebastian.id].idle_timestamp - nowSeconds)).toBeLessThan(60);
    // The next report comes after 240 s, and somebody counts as offline after 200 s.
    for (const time of Object.values<number>(presences[antonio.id])) {
      expect(time - nowSeconds).toBeGreaterThan(120);
      expect(time - nowSeconds).toBeLessThan(240);
    }
    // The legacy format has no times in the future.
    const { presence } = await orsino.do("GET", `/users/${antonio.id}/presence`);
    expect(presence.aggregated.status).toBe("active");
    expect(presence.aggregated.timestamp).toBeLessThanOrEqual(Date.now() / 1000);
    connection.close();
  });

  test("of a bot, and one that hides its presence, report nothing", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    await antonio.do("PATCH", "/settings", { presence_enabled: false });
    const bot = await aBot(antonio);
    const [hidden, ofBot] = await Promise.all([connect(antonio), connect(bot)]);

    hidden.acknowledge(undefined, { presence: "active" });
    ofBot.acknowledge(undefined, { presence: "active" });

    await expect.poll(() => ofBot.messages.map(({ code }) => code)).toContain("BAD_REQUEST");
    await expect.poll(() => hidden.messages.length).toBeGreaterThan(1);
    const { body } = await orsino.call("GET", `/users/${antonio.id}/presence`);
    expect(body.presence?.aggregated.status ?? body.msg).toMatch(/^(offline|No presence data)/);
    for (const connection of [hidden, ofBot]) connection.close();
  });

  test("is answered with an error for anything but an acknowledgement of its queue", async ({ expect }) => {
    const antonio = await aPerson("Antonio");
    const [connection, other] = await Promise.all([connect(antonio), register(viola)]);
    const malformed = [
      "",
      "{",
      "[]",
      '"text"',
      "null",
      '{"type":"acknowledge"}',
      { type: "look", queue_id: "x", last_event_id: 1 },
      { type: "acknowledge", queue_id: "x", last_event_id: 1, presence: "away" },
      { type: "acknowledge", queue_id: "x", last_event_id: 1, presence: "idle", presence_last_update_id: -2 },
      { type: "acknowledge", queue_id: "x", last_event_id: 1, presence_last_update_id: 1 },
    ];

    for (const message of malformed) connection.send(message);
    await expect
      .poll(() => connection.messages.filter(({ code }) => code === "BAD_REQUEST"))
      .toHaveLength(malformed.length);
    await sendDirect(orsino, [antonio], "still connected");
    await expect.poll(() => textsOf(connection)).toEqual(["still connected"]);
    connection.send({ type: "acknowledge", queue_id: other.queue_id, last_event_id: -1 });

    await expect.poll(() => connection.closeCode).toBeDefined();
    expect(textsOf(connection)).toEqual(["still connected"]);
  });
});

describe.concurrent("a ticket", () => {
  test("opens one connection", async ({ expect }) => {
    const { queue_id } = await register(viola);
    const url = await connectionUrl(viola, queue_id);

    expect(await opens(url)).toBe(true);
    expect(await opens(url)).toBe(false);
  });

  test("is invalid for another queue or time, after a newer one, and without its secret", async ({ expect }) => {
    const [queue, other] = await Promise.all([register(viola), register(orsino)]);
    const older = await connectionUrl(viola, queue.queue_id);
    const url = new URL(await connectionUrl(viola, queue.queue_id));
    const parts = (url.searchParams.get("ticket") as string).split(".");
    const withTicket = (ticket: string) => {
      const changed = new URL(url);
      changed.searchParams.set("ticket", ticket);
      return changed.href;
    };
    const [userId, queueId, expiresAt, secret] = parts as [string, string, string, string];
    const invalid = [
      older,
      withTicket(""),
      withTicket([userId, other.queue_id, expiresAt, secret].join(".")),
      withTicket([orsino.id, queueId, expiresAt, secret].join(".")),
      withTicket([userId, queueId, Number(expiresAt) + 60, secret].join(".")),
      withTicket([userId, queueId, expiresAt, "A".repeat(43)].join(".")),
      url.href.split("?")[0] as string,
    ];

    expect(await Promise.all(invalid.map(opens))).toEqual(invalid.map(() => false));
    expect(await opens(url.href)).toBe(true);
  });

  test("is issued only for the caller's own queue", async ({ expect }) => {
    const { queue_id } = await register(viola);

    const { status, body } = await orsino.call("POST", "/events/connection", { queue_id });

    expect({ status, code: body.code }).toEqual({ status: 400, code: "BAD_EVENT_QUEUE_ID" });
  });

  test("of a page opens no connection from another origin", async ({ expect }) => {
    const { queue_id } = await register(viola);
    const headers = { origin: "https://page.example" };
    const { body } = await viola.call("POST", "/events/connection", { queue_id }, { headers });

    expect(await opens(body.url)).toBe(false);
  });
});

const messagesOf = (connection: Connection) => textsOf(connection).filter(Boolean);

describe.concurrent("a connection ends, and nothing is sent to it any more,", () => {
  /** A connected person, and what others do that would concern the connection. */
  const connected = async (expect: ExpectStatic) => {
    const antonio = await aPerson("Antonio");
    const queue = await register(antonio, { event_types: ["message", "realm_user"] });
    const connection = await connectQueue(antonio, queue);
    // From the first post on, the host knows queue and account, and reads neither again.
    await sendDirect(orsino, [antonio], "hello");
    await expect.poll(() => messagesOf(connection)).toEqual(["hello"]);
    return { antonio, queue, connection };
  };

  test("when the client deletes its queue", async ({ expect }) => {
    const { antonio, queue, connection } = await connected(expect);

    await antonio.do("DELETE", "/events", { queue_id: queue.queue_id });

    await expect.poll(() => connection.closeCode).toBeDefined();
  });

  test("when the API key was replaced", async ({ expect }) => {
    const { antonio, connection } = await connected(expect);
    await antonio.do("POST", "/users/me/api_key/regenerate");

    await sendDirect(orsino, [antonio], "a secret");

    await expect.poll(() => connection.closeCode).toBeDefined();
    expect(messagesOf(connection)).toEqual(["hello"]);
  });

  test("when the account was deactivated", async ({ expect }) => {
    const [{ antonio, connection }, owner] = await Promise.all([
      connected(expect),
      aPerson("Olivia", { role: "owner" }),
    ]);

    await owner.do("DELETE", `/users/${antonio.id}`);

    await expect.poll(() => connection.closeCode).toBeDefined();
    expect(messagesOf(connection)).toEqual(["hello"]);
  });
});
