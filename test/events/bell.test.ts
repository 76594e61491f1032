import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, ListQueuesCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aHostWithBells, type HostWithBells, owner, viola } from "../support/bells.ts";
import { runSoon } from "../support/recurring.ts";
import { isLocal } from "../support/world.ts";

/** A fleet whose clients wait at bells: API Gateway receives from SQS for them, and no function runs meanwhile. */

describe.skipIf(!isLocal())("waiting at a bell (on the local host alone: MiniStack has no such integration)", () => {
  let host: HostWithBells;
  let table: DynamoDBClient;
  beforeAll(async () => {
    host = await aHostWithBells();
    table = new DynamoDBClient({ ...host.common, endpoint: host.environment.AWS_ENDPOINT_URL_DYNAMODB as string });
  });
  afterAll(() => host?.stop());

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

  test("a poll with nothing new is led to the bell, which rings for the next event, and back to it", async () => {
    const queueId = await host.register();

    const first = await host.step(host.eventsOf(queueId));
    const waiting = host.step(first.next);
    const { id } = await host.write([await host.ownerId()], "the text of it");
    const rung = await waiting;
    const started = Date.now();
    const second = await host.step(rung.next);
    const third = await host.step(second.next);
    const found = await host.step(third.next);

    expect(first).toMatchObject({ status: 307, location: `events/${queueId}/-1/wait-1` });
    expect(rung).toMatchObject({ status: 307, location: "wait-2" });
    expect(JSON.stringify(rung.body)).not.toContain("the text of it");
    expect(second).toMatchObject({ status: 307, location: "wait-3" });
    expect(third).toMatchObject({ status: 307, location: "look" });
    // What rang at the first place rings at those behind it at once.
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(found.status).toBe(200);
    expect(found.body.events).toMatchObject([{ type: "message", message: { id, content: "the text of it" } }]);
  });

  test("what happened before is answered at once, and nothing with dont_block is, too", async () => {
    const queueId = await host.register();
    await host.write([await host.ownerId()], "early");

    const found = await host.step(host.eventsOf(queueId));
    const last = found.body.events.at(-1).id;
    const nothing = await host.step(`${host.eventsOf(queueId, last)}&dont_block=true`);

    expect(found.body.events).toMatchObject([{ message: { content: "early" } }]);
    expect(nothing).toMatchObject({ status: 200, body: { events: [] } });
  });

  test("a client that names no last event is led on from its queue's place", async () => {
    const queueId = await host.register();

    const { status, next } = await host.step(`${host.url}/api/v1/events?queue_id=${queueId}`);
    await host.write([await host.ownerId()], "next");
    const { body } = await host.step(next.replace(/wait-1$/, "look"));

    expect(status).toBe(307);
    expect(body.events).toMatchObject([{ message: { content: "next" } }]);
  });

  test("after the last place there is a heartbeat, if nothing came: four redirects in all", async () => {
    const queueId = await host.register();
    await host.ring(queueId);
    const followed: (string | null)[] = [];
    let at = await host.step(host.eventsOf(queueId));
    for (; at.status === 307; at = await host.step(at.next)) followed.push(at.location);

    expect(followed).toEqual([`events/${queueId}/-1/wait-1`, "wait-2", "wait-3", "look"]);
    expect(at).toMatchObject({ status: 200, body: { events: [{ type: "heartbeat" }] } });
  });

  test("a ring is there for whoever waits next, until the last place has heard it", async () => {
    const queueId = await host.register();
    const place = (number: number) => host.step(`${host.url}/api/v1/events/${queueId}/-1/wait-${number}`);
    await host.ring(queueId);

    const heard = [await place(1), await place(1), await place(2), await place(3)];
    const left = await host.rings(queueId);
    const waiting = place(1);
    const early = await Promise.race([waiting, pause(1500)]);
    await host.ring(queueId);

    for (const { body } of heard) expect(body.Messages).toHaveLength(1);
    // One ring ends one chain and is no reason for another to hurry.
    expect(left).toBe(0);
    expect(early).toBeUndefined();
    expect((await waiting).body.Messages).toHaveLength(1);
  });

  test("of two polls that wait at one bell both are led on by a ring", async () => {
    const queueId = await host.register();
    const { next } = await host.step(host.eventsOf(queueId));
    const both = [host.step(next), host.step(next)];
    await pause(100);

    await host.write([await host.ownerId()], "for both");
    const steps = await Promise.all(both);
    expect(steps.map(({ location }) => location)).toEqual(["wait-2", "wait-2"]);
    // One after the other: of two looks at the same moment the later ends the earlier.
    for (const _ of steps) {
      const { body } = await host.step(next.replace(/wait-1$/, "look"));
      expect(body.events).toMatchObject([{ message: { content: "for both" } }]);
    }
  });

  test("a bell that is not there leaves the waiting to the function", async () => {
    const queueId = await host.register();
    const missing = await Promise.all(
      [1, 2, 3].map((number) => host.step(`${host.url}/api/v1/events/no-such-queue/-1/wait-${number}`)),
    );

    const held = host.step(`${host.url}/api/v1/events/${queueId}/-1/look?held=true`);
    await host.write([await host.ownerId()], "heard by the one that waits");

    for (const place of missing) expect(place).toMatchObject({ status: 307, location: "look?held=true" });
    expect((await held).body.events).toMatchObject([{ message: { content: "heard by the one that waits" } }]);
  });

  test("another's queue is nobody's, and without credentials there is nothing to see", async () => {
    const queueId = await host.register({}, viola);

    const others = await host.step(`${host.url}/api/v1/events/${queueId}/-1/look`);
    const nobody = await fetch(`${host.url}/api/v1/events/${queueId}/-1/look`);

    expect(others).toMatchObject({ status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } });
    expect(nobody.status).toBe(401);
  });

  test("a bell goes with its queue, deleted or expired", async () => {
    const [deleted, expired, kept] = await Promise.all([
      host.register(),
      host.register({ lifespan_secs: 1 }),
      host.register(),
    ]);
    const names = async () => {
      const { QueueUrls = [] } = await host.sqs.send(new ListQueuesCommand({ QueueNamePrefix: "skein-bell-" }));
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

  test("what was heard stays hidden for longer than a bell keeps it, and what nobody hears is forgotten", async () => {
    const queueId = await host.register();
    const AttributeNames = ["VisibilityTimeout" as const, "MessageRetentionPeriod" as const];
    const { Attributes } = await host.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: host.bellUrl(queueId), AttributeNames }),
    );

    expect(Number(Attributes?.VisibilityTimeout)).toBeGreaterThan(Number(Attributes?.MessageRetentionPeriod));
  });

  test("waiting costs little: 2.5 read units for a look, and nothing is written", async () => {
    const queueId = await host.register();
    const { headers: costs } = await host.step(host.eventsOf(queueId));

    expect(Number(costs.get("x-skein-read-units"))).toBeLessThanOrEqual(2.5);
    expect(Number(costs.get("x-skein-write-units"))).toBe(0);
  });

  test("that a client is there is noted about once in two minutes, for one write unit, unless its channels changed", async () => {
    const queueId = await host.register({ event_types: ["subscription"] });
    const queueItem = async () => ({
      TableName: "skein",
      Key: { pk: { S: `USER#${await host.ownerId()}` }, sk: { S: `QUEUE#${queueId}` } },
    });
    const usedAt = async () => Number((await table.send(new GetItemCommand(await queueItem()))).Item?.usedAt?.N);
    const awhileAgo = async () =>
      table.send(
        new UpdateItemCommand({
          ...(await queueItem()),
          UpdateExpression: "SET usedAt = :at",
          ExpressionAttributeValues: { ":at": { N: String(Math.floor(Date.now() / 1000) - 121) } },
        }),
      );
    const written = async (last?: number) =>
      Number((await host.step(host.eventsOf(queueId, last))).headers.get("x-skein-write-units"));

    await awhileAgo();

    expect(await written()).toBe(1);
    expect(Math.abs((await usedAt()) - Date.now() / 1000)).toBeLessThan(10);
    expect(await written()).toBe(0);
    await host.subscribe("Pauls Walk", owner);
    const { body } = await host.step(host.eventsOf(queueId));
    // What its bell rings for is kept with it.
    expect(await written(body.events.at(-1).id)).toBe(4);
  });
});
