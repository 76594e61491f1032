import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { padded } from "../../shared/store/keys.ts";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { isLocal } from "../support/world.ts";

/** What a ping costs a minute after the last, in a small organization and a larger one. */

const owner = "owner@globe.test";

describe.skipIf(!isLocal())("a ping (the costs of a deployed function are not told)", () => {
  let host: PrivateHost;
  let table: DynamoDBClient;
  let authorization: string;
  let ownerId: number;
  beforeAll(async () => {
    host = await aPrivateHost();
    const { AWS_REGION: region = "", AWS_ENDPOINT_URL_DYNAMODB: endpoint = "" } = host.environment;
    const accessKeyId = host.environment.AWS_ACCESS_KEY_ID as string;
    const secretAccessKey = host.environment.AWS_SECRET_ACCESS_KEY as string;
    table = new DynamoDBClient({ region, endpoint, credentials: { accessKeyId, secretAccessKey } });
    const { api_key, user_id } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: owner });
    authorization = `Basic ${Buffer.from(`${owner}:${api_key}`).toString("base64")}`;
    ownerId = user_id;
  });
  afterAll(() => host?.stop());

  const ping = async (lastUpdateId: number) => {
    const response = await fetch(`${host.url}/api/v1/users/me/presence`, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams({ status: "active", last_update_id: String(lastUpdateId) }),
    });
    const units = (name: string) => Number(response.headers.get(`x-skein-${name}-units`));
    const { presences, presence_last_update_id } = (await response.json()) as any;
    return { presences, last: presence_last_update_id, readUnits: units("read"), writeUnits: units("write") };
  };
  const presenceOf = (userId: number) => ({ pk: { S: "PRESENCE" }, sk: { S: padded(userId) } });
  const secondsAgo = (seconds: number) => ({ N: String(Math.floor(Date.now() / 1000) - seconds) });
  /** Others have been there since the first ping, so many in all. */
  async function beThere(others: number) {
    for (let userId = 9_000_000; userId < 9_000_000 + others; userId++) {
      const times = { lastActive: secondsAgo(90), lastConnected: secondsAgo(90) };
      const Item = { ...presenceOf(userId), userId: { N: String(userId) }, ...times, updateId: { N: "1" } };
      await table.send(new PutItemCommand({ TableName: "skein", Item }));
    }
  }
  const aMinuteLater = () =>
    table.send(
      new UpdateItemCommand({
        TableName: "skein",
        Key: presenceOf(ownerId),
        UpdateExpression: "SET lastActive = :at, lastConnected = :at",
        ExpressionAttributeValues: { ":at": secondsAgo(60) },
      }),
    );

  test("writes one unit and reads everybody, where no more than a hundred have been there", async () => {
    const { last } = await ping(-1);
    await beThere(49);
    await aMinuteLater();

    const later = await ping(last);
    const soon = await ping(later.last);

    expect(later).toMatchObject({ writeUnits: 1, presences: { [ownerId]: expect.anything() } });
    expect(Object.keys(later.presences)).toEqual([String(ownerId)]);
    // Authentication 1, organization and settings half a unit each, and one for somewhat more than 40 people.
    expect(later.readUnits).toBeLessThanOrEqual(5);
    expect(later.last).toBeGreaterThan(last);
    expect(soon).toMatchObject({ writeUnits: 0, presences: {} });
  });

  test("writes two, one of them for the minute, where more have been there, and reads what changed in that", async () => {
    await beThere(150);
    const { last } = await ping(-1);
    await aMinuteLater();

    const later = await ping(last);
    const soon = await ping(later.last);

    expect(later).toMatchObject({ writeUnits: 2, presences: { [ownerId]: expect.anything() } });
    expect(later.readUnits).toBeLessThanOrEqual(6);
    expect(soon).toMatchObject({ writeUnits: 0, presences: {} });
  });
});
