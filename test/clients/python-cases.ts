import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runPython } from "../support/outside/python.ts";
import { aPerson, type Person } from "../support/world.ts";
import type { HostForClients } from "./host-for-clients.ts";

/** Cases that run the unmodified Python package `zulip` against Skein; `further` is input of drive.py. */
export function pythonCases(
  startHost: () => Promise<HostForClients>,
  further: { large_file_bytes?: number } = {},
): void {
  /** The replies to the requests of drive.py, by name. */
  let replies: any;
  /** The events that its listener received. */
  let receivedEvents: any[];
  let ada: Person;
  let grace: Person;
  const channel = `engine room ${randomBytes(4).toString("hex")}`;
  const newEmail = `charles-${randomBytes(4).toString("hex")}@globe.test`;

  beforeAll(async () => {
    const { url, close } = await startHost();
    [ada, grace] = await Promise.all([aPerson("Ada", { role: "owner" }), aPerson("Grace")]);
    const person = ({ id, email, apiKey }: Person) => ({ id, email, api_key: apiKey });
    ({ replies, received_events: receivedEvents } = await runPython(join(import.meta.dirname, "drive.py"), {
      ...further,
      site: url,
      channel,
      new_email: newEmail,
      ada: person(ada),
      grace: person(grace),
    }));
    await close();
  }, 300_000);

  test("requests succeed, except for an unknown channel and for a deleted queue", () => {
    const { unknown_channel, deleted_queue, ...successful } = replies;
    for (const [name, reply] of Object.entries<any>(successful))
      expect(reply, name).toMatchObject({ result: "success" });
    expect(unknown_channel).toMatchObject({ result: "error", code: "STREAM_DOES_NOT_EXIST" });
    expect(deleted_queue).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });
  });

  test("messages were received as sent, once and in order", () => {
    const messages = receivedEvents.filter(({ type }) => type === "message").map(({ message }) => message);

    const idsFromAda = messages.filter(({ sender_id }) => sender_id === ada.id).map(({ id }) => id);
    expect(idsFromAda).toEqual([replies.sent.id, replies.direct.id, replies.linked.id].slice(0, idsFromAda.length));
    expect(messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id).toSorted((a, b) => a - b));
    const eventIds = receivedEvents.map(({ id }) => id);
    expect(eventIds).toEqual([...new Set(eventIds)].toSorted((a, b) => a - b));
  });

  test("the events of the subscription and the reaction were received", () => {
    const subscribed = receivedEvents.find(({ type, op }) => type === "subscription" && op === "add");
    expect(subscribed?.subscriptions).toMatchObject([{ name: channel }]);
    expect(receivedEvents.find(({ type }) => type === "reaction")).toMatchObject({
      op: "add",
      emoji_name: "octopus",
      user_id: ada.id,
    });
  });

  test("the narrow has the topic's rendered messages", () => {
    expect(replies.narrowed.messages.map(({ id }: any) => id)).toEqual([replies.sent.id, replies.linked.id]);
    expect(replies.narrowed.messages[0].content).toBe("<p><strong>first</strong></p>");
  });

  test("users see each other, and new users", () => {
    const userIds = replies.users.members.map(({ user_id }: any) => user_id);
    expect(userIds).toEqual(expect.arrayContaining([ada.id, grace.id]));
    expect(replies.created.user_id).toBeGreaterThan(grace.id);
  });
}
