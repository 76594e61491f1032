import { beforeAll, describe, expect, test } from "vitest";
import { handler as createDrafts } from "../../functions/drafts/create-drafts.ts";
import { handler as getEvents } from "../../functions/events/get-events.ts";
import { handler as registerQueue } from "../../functions/events/register-queue.ts";
import { handler as deleteMessage } from "../../functions/messages/delete-message.ts";
import { handler as editMessage } from "../../functions/messages/edit-message.ts";
import { handler as getMessages } from "../../functions/messages/get-messages.ts";
import { handler as sendMessage } from "../../functions/messages/send-message.ts";
import { handler as updateFlags } from "../../functions/messages/update-message-flags.ts";
import { handler as updatePresence } from "../../functions/presence/update-presence.ts";
import { handler as addReaction } from "../../functions/reactions/add-reaction.ts";
import { handler as createScheduledMessage } from "../../functions/scheduled-messages/create-scheduled-message.ts";
import { handler as addSubscriptions } from "../../functions/subscriptions/add-subscriptions.ts";
import { handler as removeSubscriptions } from "../../functions/subscriptions/remove-subscriptions.ts";
import { handler as uploadFile } from "../../functions/uploads/upload-file.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { withThrottling } from "../support/faults.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { fetchMessage, fetchTopic, sendToChannel } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Everyday requests of Portia while the table throttles at each of their calls in turn: she is told to come back later, what she
 * wanted has happened or not, and the same request then succeeds.
 */

let portia: Person;
let shylock: Person;
let channel: Channel;
let queueId: string;
beforeAll(async () => {
  [portia, shylock] = await Promise.all([aPerson("Portia", { role: "administrator" }), aPerson("Shylock")]);
  channel = await aChannel("rialto", [portia, shylock]);
  queueId = (await portia.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] })).queue_id;
});

/** One request that is about to be made. */
interface Act {
  input: Parameters<typeof callInProcess>[2];
  /** Whether it has happened: all of it, or nothing. Absent for a request that changes nothing that others see. */
  hasHappened?(): Promise<boolean>;
  /** The code of the error that a repetition gets if the request has happened. */
  repeated?: string;
}

const messageWith = async (topic: string) => (await fetchTopic(portia, channel, topic)).length === 1;
const aMessage = () => sendToChannel(shylock, channel, "loan", "Three thousand ducats");
const inChannel = (text: string) => ({ type: "channel", to: channel.id, topic: unique("bond"), content: text });
const flagsOf = async (id: number): Promise<string[]> => (await fetchMessage(portia, id, channel)).flags;

const requests: [name: string, handler: Parameters<typeof callInProcess>[0], prepare: () => Promise<Act>][] = [
  [
    "send to a channel",
    sendMessage,
    async () => {
      const message = inChannel("The quality of mercy");
      const form = { ...message, queue_id: queueId, local_id: message.topic };
      return { input: { form }, hasHappened: () => messageWith(message.topic) };
    },
  ],
  [
    "send to a person",
    sendMessage,
    async () => {
      const content = unique("Shed thou no blood");
      const form = { type: "direct", to: [shylock.id], content, queue_id: queueId, local_id: content };
      const narrow = [{ operator: "dm", operand: [shylock.id] }];
      const range = { anchor: "newest", num_before: 100, num_after: 0, narrow, apply_markdown: false };
      const hasHappened = async () => {
        const { messages } = await portia.do("GET", "/messages", range);
        return messages.filter((message: any) => message.content === content).length === 1;
      };
      return { input: { form }, hasHappened };
    },
  ],
  [
    "fetch",
    getMessages,
    async () => {
      const narrow = [{ operator: "channel", operand: channel.id }];
      return { input: { form: { anchor: "newest", num_before: 10, num_after: 0, narrow } } };
    },
  ],
  ["register", registerQueue, async () => ({ input: { form: {} } })],
  [
    "poll events",
    getEvents,
    async () => ({ input: { form: { queue_id: queueId, last_event_id: -1, dont_block: true } } }),
  ],
  [
    "mark as read",
    updateFlags,
    async () => {
      const id = await aMessage();
      const form = { messages: [id], op: "add", flag: "read" };
      return { input: { form }, hasHappened: async () => (await flagsOf(id)).includes("read") };
    },
  ],
  [
    "star",
    updateFlags,
    async () => {
      const id = await aMessage();
      const form = { messages: [id], op: "add", flag: "starred" };
      return { input: { form }, hasHappened: async () => (await flagsOf(id)).includes("starred") };
    },
  ],
  [
    "react",
    addReaction,
    async () => {
      const id = await aMessage();
      const hasHappened = async () => (await fetchMessage(portia, id, channel)).reactions.length === 1;
      const input = { path: { message_id: String(id) }, form: { emoji_name: "tada" } };
      return { input, hasHappened, repeated: "REACTION_ALREADY_EXISTS" };
    },
  ],
  [
    "edit",
    editMessage,
    async () => {
      const id = await sendToChannel(portia, channel, "bond", "A pound of flesh");
      const content = "Just a pound of flesh";
      const hasHappened = async () => (await fetchMessage(portia, id, channel)).content === content;
      return { input: { path: { message_id: String(id) }, form: { content } }, hasHappened };
    },
  ],
  [
    "delete",
    deleteMessage,
    async () => {
      const id = await sendToChannel(portia, channel, "bond", "A pound of flesh");
      const hasHappened = async () => (await fetchMessage(portia, id, channel)) === undefined;
      return { input: { path: { message_id: String(id) } }, hasHappened, repeated: "BAD_REQUEST" };
    },
  ],
  [
    "subscribe",
    addSubscriptions,
    async () => {
      const { name, id } = await aChannel("belmont", [shylock]);
      const form = { subscriptions: [{ name }] };
      return { input: { form }, hasHappened: () => isSubscribed(id) };
    },
  ],
  [
    "unsubscribe",
    removeSubscriptions,
    async () => {
      const { name, id } = await aChannel("venice", [shylock, portia]);
      return { input: { form: { subscriptions: [name] } }, hasHappened: async () => !(await isSubscribed(id)) };
    },
  ],
  [
    "upload",
    uploadFile,
    async () => ({ input: { parts: [{ filename: "bond.txt", content: "Forfeit: a pound of flesh" }] } }),
  ],
  [
    "save a draft",
    createDrafts,
    async () => {
      const draft = { type: "stream", to: [channel.id], topic: unique("draft"), content: "Tarry a little" };
      return { input: { form: { drafts: [draft] } } };
    },
  ],
  [
    "schedule a message",
    createScheduledMessage,
    async () => ({ input: { form: { ...inChannel("Tarry"), scheduled_delivery_timestamp: 4_000_000_000 } } }),
  ],
  ["report presence", updatePresence, async () => ({ input: { form: { status: "active" } } })],
];

const isSubscribed = async (id: number): Promise<boolean> =>
  (await portia.do("GET", `/users/${portia.id}/subscriptions/${id}`)).is_subscribed;

/** The time limit of a request during lasting throttling. */
const remainingMs = 2500;
const maxCalls = 120;

describe.each([
  ["one of its calls, in turn", false],
  ["each of its calls in turn, and all after it", true],
])("while the table refuses %s", (_, lasts) => {
  test.concurrent.each(requests)(
    "a request to %s gets 503 with Retry-After, or succeeds; repeated, it succeeds",
    // A connection to the host that was idle during a call in this process may just be closing.
    { timeout: 300_000, retry: { count: 2, condition: /ECONNRESET/ } },
    async (_name, handler, prepare) => {
      let refused = 0;
      // Registering makes dozens of calls, more with more people: of the later ones some are enough, because each run waits.
      for (let nth = 1; nth < maxCalls; nth += lasts && nth > 9 ? 7 : 1) {
        const { input = {}, hasHappened, repeated } = await prepare();

        const { result, reached } = await withThrottling(nth, lasts, () =>
          callInProcess(handler, portia, { ...input, ...(lasts && { remainingMs }) }),
        );
        if (!reached) break;
        const happened = await hasHappened?.();
        const again = await callInProcess(handler, portia, input);

        if (result.status !== 200) {
          refused++;
          expect(result).toEqual({
            status: 503,
            headers: expect.objectContaining({ "retry-after": expect.stringMatching(/^[1-3]$/) }),
            body: {
              result: "error",
              msg: expect.any(String),
              code: expect.stringMatching(/^SERVICE_UNAVAILABLE$|^REQUEST_TIMED_OUT$/),
            },
          });
        } else if (hasHappened) expect(happened).toBe(true);
        if (happened && repeated) expect([200, repeated]).toContain(again.status === 200 ? 200 : again.body.code);
        else expect(again).toMatchObject({ status: 200, body: { result: "success" } });
        if (hasHappened) expect(await hasHappened()).toBe(true);
        expect(nth).toBeLessThan(maxCalls - 7);
      }
      // Without its table no request succeeds.
      if (lasts) expect(refused).toBeGreaterThan(0);
    },
  );
});
