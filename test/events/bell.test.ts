import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { runSoon } from "../support/recurring.ts";
import { isLocal } from "../support/world.ts";

/** A fleet whose clients wait at bells: API Gateway receives from SQS for them, and no function runs meanwhile. */

const [owner, viola] = ["owner@globe.test", "viola@globe.test"];

describe.skipIf(!isLocal())("waiting at a bell (on the local host alone: MiniStack has no such integration)", () => {
  let host: PrivateHost;
  let sqs: SQSClient;
  let table: DynamoDBClient;
  const credentials = new Map<string, string>();
  beforeAll(async () => {
    host = await aPrivateHost({ SKEIN_WAITING: "bell" });
    const { AWS_REGION: region = "", AWS_ENDPOINT_URL_SQS = "", AWS_ENDPOINT_URL_DYNAMODB = "" } = host.environment;
    const accessKeyId = host.environment.AWS_ACCESS_KEY_ID as string;
    const secretAccessKey = host.environment.AWS_SECRET_ACCESS_KEY as string;
    // Not by the environment: other files of this process have another host there.
    const common = { region, credentials: { accessKeyId, secretAccessKey } };
    sqs = new SQSClient({ ...common, endpoint: AWS_ENDPOINT_URL_SQS });
    table = new DynamoDBClient({ ...common, endpoint: AWS_ENDPOINT_URL_DYNAMODB });
    for (const username of [owner, viola]) {
      const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username });
      credentials.set(username, `Basic ${Buffer.from(`${username}:${api_key}`).toString("base64")}`);
    }
  });
  afterAll(() => host?.stop());

  const register = async (options: Record<string, unknown> = {}, who = owner): Promise<string> => {
    const wanted = { fetch_event_types: [], event_types: ["message"], ...options };
    return (await host.as(who, "POST", "/register", wanted)).queue_id;
  };
  /** One step of a client's way, its redirect not followed. */
  const step = async (url: string, who = owner) => {
    const headers = { authorization: credentials.get(who) as string };
    const response = await fetch(url, { headers, redirect: "manual" });
    const location = response.headers.get("location");
    const body = (await response.json().catch(() => undefined)) as any;
    return { status: response.status, location, next: location ? new URL(location, url).href : "", body };
  };
  const eventsOf = (queueId: string, last: number | string = -1) =>
    `${host.url}/api/v1/events?queue_id=${queueId}&last_event_id=${last}`;
  const bellUrl = (queueId: string) => `${host.environment.BELLS_URL}${queueId}`;
  const rings = async (queueId: string) => {
    const AttributeNames = ["ApproximateNumberOfMessages" as const];
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: bellUrl(queueId), AttributeNames }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages);
  };
  const bellItem = (queueId: string) => ({ TableName: "skein", Key: { pk: { S: "BELLS" }, sk: { S: queueId } } });
  const setDue = (queueId: string, at: number) =>
    table.send(
      new UpdateItemCommand({
        ...bellItem(queueId),
        UpdateExpression: "SET dueAt = :at",
        ExpressionAttributeValues: { ":at": { N: String(at) } },
      }),
    );
  const dueAt = async (queueId: string) => {
    const { Item } = await table.send(new GetItemCommand(bellItem(queueId)));
    return Item && Number(Item.dueAt?.N);
  };
  const write = (to: unknown, content: string, who = owner) =>
    host.as(who, "POST", "/messages", { type: "direct", to, content });
  const ownerId = async () => (await host.as(owner, "GET", "/users/me")).user_id as number;
  const subscribe = (name: string, who: string) =>
    host.as(who, "POST", "/users/me/subscriptions", { subscriptions: [{ name }] });

  test("a poll with nothing new is led to the bell, which rings for the next event, and back to it", async () => {
    const queueId = await register();

    const first = await step(eventsOf(queueId));
    const waiting = step(first.next);
    const { id } = await write([await ownerId()], "the text of it");
    const rung = await waiting;
    const found = await step(rung.next);

    expect(first).toMatchObject({ status: 307, location: `events/${queueId}/-1/1/wait` });
    expect(rung).toMatchObject({ status: 307, location: "look" });
    expect(JSON.stringify(rung.body)).not.toContain("the text of it");
    expect(found.status).toBe(200);
    expect(found.body.events).toMatchObject([{ type: "message", message: { id, content: "the text of it" } }]);
  });

  test("what happened before is answered at once, and nothing with dont_block is, too", async () => {
    const queueId = await register();
    await write([await ownerId()], "early");

    const found = await step(eventsOf(queueId));
    const last = found.body.events.at(-1).id;
    const nothing = await step(`${eventsOf(queueId, last)}&dont_block=true`);

    expect(found.body.events).toMatchObject([{ message: { content: "early" } }]);
    expect(nothing).toMatchObject({ status: 200, body: { events: [] } });
  });

  test("a client that names no last event is led on from its queue's place", async () => {
    const queueId = await register();

    const { status, next } = await step(`${host.url}/api/v1/events?queue_id=${queueId}`);
    await write([await ownerId()], "next");
    const { body } = await step(next.replace(/wait$/, "look"));

    expect(status).toBe(307);
    expect(body.events).toMatchObject([{ message: { content: "next" } }]);
  });

  test("after two rounds that nothing came of there is a heartbeat: four redirects in all", async () => {
    const queueId = await register();
    const lookAfter = (path: string) => step(`${host.url}/api/v1/events/${queueId}/-1/${path}`);

    const second = await lookAfter("1/look");
    const end = await lookAfter("2/look");

    expect(second).toMatchObject({ status: 307, location: `../../../${queueId}/-1/2/wait` });
    expect(second.next).toBe(`${host.url}/api/v1/events/${queueId}/-1/2/wait`);
    expect(end).toMatchObject({ status: 200, body: { events: [{ type: "heartbeat" }] } });
  });

  test("bells ring for those alone whom an event may concern, by audience, channel and type", async () => {
    await subscribe("ringing", viola);
    const [mine, others, aboutPresence] = await Promise.all([
      register({}, viola),
      register({}, owner),
      register({ event_types: ["presence"] }, viola),
    ]);

    await host.as(viola, "POST", "/messages", { type: "channel", to: "ringing", topic: "t", content: "hear" });
    await expect.poll(() => rings(mine)).toBe(1);

    expect(await rings(others)).toBe(0);
    expect(await rings(aboutPresence)).toBe(0);
  });

  test("a channel that was joined since rings as soon as its joining has been heard of", async () => {
    await subscribe("joined later", viola);
    const queueId = await register({ event_types: ["message", "subscription"] }, owner);
    await subscribe("joined later", owner);
    const { body } = await step(eventsOf(queueId));
    const last = body.events.at(-1).id;
    expect(body.events).toMatchObject([{ type: "subscription", op: "add" }]);
    const { next } = await step(eventsOf(queueId, last));

    const waiting = step(next);
    await host.as(viola, "POST", "/messages", { type: "channel", to: "joined later", topic: "t", content: "welcome" });
    const started = Date.now();
    await waiting;

    expect(Date.now() - started).toBeLessThan(10_000);
    // Rings of before may have led here: what counts is that the client is told.
    await expect
      .poll(async () => (await step(eventsOf(queueId, last))).body?.events?.map(({ message }: any) => message?.content))
      .toContain("welcome");
  });

  test("a bell that is not there leaves the waiting to the function", async () => {
    const queueId = await register();
    const missing = await step(`${host.url}/api/v1/events/no-such-queue/-1/1/wait`);

    const held = step(`${host.url}/api/v1/events/${queueId}/-1/1/look?held=true`);
    await write([await ownerId()], "heard by the one that waits");

    expect(missing).toMatchObject({ status: 307, location: "look?held=true" });
    expect((await held).body.events).toMatchObject([{ message: { content: "heard by the one that waits" } }]);
  });

  test("another's queue is nobody's, and without credentials there is nothing to see", async () => {
    const queueId = await register({}, viola);

    const others = await step(`${host.url}/api/v1/events/${queueId}/-1/1/look`);
    const nobody = await fetch(`${host.url}/api/v1/events/${queueId}/-1/1/look`);

    expect(others).toMatchObject({ status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } });
    expect(nobody.status).toBe(401);
  });

  test("a bell goes with its queue, deleted or expired", async () => {
    const [deleted, expired, kept] = await Promise.all([register(), register({ lifespan_secs: 1 }), register()]);
    const names = async () => {
      const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: "skein-bell-" }));
      return QueueUrls.map((url) => url.split("skein-bell-")[1]);
    };
    expect(await names()).toEqual(expect.arrayContaining([deleted, expired, kept]));

    await host.as(owner, "DELETE", "/events", { queue_id: deleted });
    // As if the time had come for both: one is still in use.
    for (const queueId of [expired, kept]) await setDue(queueId, 1);
    await expect
      .poll(() => runSoon("bell-sweeps", host.environment).then(names), { timeout: 15_000, interval: 1000 })
      .not.toContain(expired);

    expect(await names()).not.toContain(deleted);
    expect(await names()).toContain(kept);
    expect(await Promise.all([deleted, expired].map(dueAt))).toEqual([undefined, undefined]);
    expect(await dueAt(kept)).toBeGreaterThan(Date.now() / 1000);
  });

  test("a ring that was heard is not heard again, and one that nobody hears is forgotten", async () => {
    const queueId = await register();
    const { next } = await step(eventsOf(queueId));
    await sqs.send(new SendMessageCommand({ QueueUrl: bellUrl(queueId), MessageBody: "look" }));

    await step(next);
    const AttributeNames = ["VisibilityTimeout" as const, "MessageRetentionPeriod" as const];
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: bellUrl(queueId), AttributeNames }),
    );

    expect(await rings(queueId)).toBe(0);
    expect(Number(Attributes?.VisibilityTimeout)).toBeGreaterThan(Number(Attributes?.MessageRetentionPeriod));
  });

  test("waiting costs little: 2.5 read units for a look, and nothing is written", async () => {
    const queueId = await register();
    const headers = { authorization: credentials.get(owner) as string };
    const { headers: costs } = await fetch(eventsOf(queueId), { headers, redirect: "manual" });

    expect(Number(costs.get("x-skein-read-units"))).toBeLessThanOrEqual(2.5);
    expect(Number(costs.get("x-skein-write-units"))).toBe(0);
  });
});
