import { expect, test } from "vitest";
import { type Connection, connectQueue } from "../support/connection.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aGroup } from "../support/people.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, personWithKey } from "../support/world.ts";

/**
 * A connection receives what a poll of a queue like its own receives, whatever happened before: the server keeps what it has read
 * for a connection as long as nothing may have changed it.
 */

const changes = ["join", "leave", "words", "group", "name", "typing", "key"] as const;
const others = ["send", "direct", "elsewhere", "vault", "mention", "types"] as const;

/** What the connected clients ask for. */
const wanted = [
  { event_types: ["message"] },
  // The status changes after each act, so that a poll decides about what came before by what held then.
  { event_types: ["stream", "user_status"] },
  { event_types: ["message", "subscription", "stream", "user_group", "realm_user", "alert_words", "user_status"] },
  {
    event_types: ["typing"],
    client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
  },
];

/** Viola, who is connected, and what she and others do. */
async function aScene() {
  const people = await Promise.all([aPerson("Orsino"), aPerson("Viola"), aPerson("Owner", { role: "owner" })]);
  const [orsino, { id, email, name, apiKey }, owner] = people;
  let viola = personWithKey(id, email, name, apiKey);
  const groupId = await aGroup([owner]);
  const { user_groups } = await owner.do("GET", "/user_groups");
  const group = user_groups.find((one: any) => one.id === groupId);
  const [coast, palace, vault] = await Promise.all([
    aChannel("coast", [orsino]),
    aChannel("palace", [orsino]),
    aChannel("vault", [owner], { inviteOnly: true }),
  ]);
  // Whoever is in the group knows the channel.
  await owner.do("PATCH", `/streams/${vault.id}`, { can_administer_channel_group: { new: groupId } });
  const clients = await Promise.all(
    wanted.map(async (options) => {
      const register = () => viola.do("POST", "/register", { ...options, fetch_event_types: [] });
      const [queue, twin] = [await register(), await register()];
      const connection: Connection = await connectQueue(viola, queue);
      const wantsMessages = options.event_types.includes("message");
      return { wantsMessages, queue, twin, connection, received: [] as unknown[], polled: [] as unknown[] };
    }),
  );
  const [is, does] = [new Set<string>(), (what: string) => (is.has(what) ? !is.delete(what) : Boolean(is.add(what)))];
  const subscriptions = [{ name: coast.name }];
  const perform: Record<(typeof changes | typeof others)[number], () => Promise<unknown>> = {
    send: () => sendToChannel(orsino, coast, "wind", "The storm sings in the wind"),
    direct: () => sendDirect(orsino, [viola], "Unfold the passion of my love"),
    elsewhere: () => sendToChannel(orsino, palace, "music", "Enough, no more"),
    vault: () => owner.do("PATCH", `/streams/${vault.id}`, { description: unique("Not for everyone") }),
    mention: () => sendDirect(orsino, [viola], `O rare @*${group.name}*`),
    types: () => {
      const op = does("types") ? "start" : "stop";
      return orsino.do("POST", "/typing", { type: "channel", op, stream_id: coast.id, topic: "wind" });
    },
    join: () => viola.do("POST", "/users/me/subscriptions", { subscriptions }),
    leave: () => viola.do("DELETE", "/users/me/subscriptions", { subscriptions: [coast.name] }),
    typing: () => viola.do("PATCH", "/settings", { receives_typing_notifications: !does("typing") }),
    words: () => viola.do(does("words") ? "POST" : "DELETE", "/users/me/alert_words", { alert_words: ["storm"] }),
    group: () =>
      owner.do("POST", `/user_groups/${groupId}/members`, { [does("group") ? "add" : "delete"]: [viola.id] }),
    name: () => viola.do("PATCH", "/settings", { full_name: does("name") ? "Cesario" : "Viola" }),
    key: async () => {
      const { api_key } = await viola.do("POST", "/users/me/api_key/regenerate");
      viola = personWithKey(id, email, name, api_key);
      await sendDirect(orsino, [viola], "What is your parentage?");
      for (const client of clients) {
        const { connection, queue, received } = client;
        if (client.wantsMessages) await expect.poll(() => connection.closeCode).toBeDefined();
        received.push(...connection.events.splice(0));
        client.connection = await connectQueue(viola, { ...queue, last_event_id: connection.seen });
      }
    },
  };
  /** Polls the twin of each client's queue, and compares. */
  const compare = async () => {
    // The first message of a channel of an earlier history may be recorded between the registrations of the two queues.
    const compared = (events: any[]) =>
      events.filter(({ property }) => property !== "first_message_id").map(({ id: _, ...event }) => event);
    await viola.do("POST", "/users/me/status", { status_text: unique("busy") });
    for (const client of clients) {
      const { twin, received, polled } = client;
      const { queue_id, last_event_id } = twin;
      const { events } = await viola.do("GET", "/events", { queue_id, last_event_id, dont_block: true });
      twin.last_event_id = events.at(-1)?.id ?? last_event_id;
      polled.push(...events);
      // What others have caused since the poll is compared after the next one.
      const expected = compared(polled);
      const sinceBegin = () => compared([...received, ...client.connection.events]);
      await expect.poll(() => sinceBegin().slice(0, expected.length)).toEqual(expected);
    }
  };
  const close = () => {
    for (const { connection } of clients) connection.close();
  };
  return { perform, compare, close };
}

test("a connection receives what a poll receives, in random histories", { timeout: 180_000 }, async () => {
  const step = fc.tuple(fc.constantFrom(...changes), fc.shuffledSubarray([...others], { minLength: 2 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 12 }),
      forAtMost(25_000, async (history) => {
        const { perform, compare, close } = await aScene();
        for (const act of ["join", ...history.flat(2), "direct"] as const) {
          await perform[act]();
          await compare();
        }
        close();
      }),
    ),
    { numRuns: 5, endOnFailure: true },
  );
});
