import { afterAll, beforeAll, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { overload } from "../support/overload.ts";
import { limitedTable } from "../support/table/limited-table.ts";
import { isLocal } from "../support/world.ts";

/** Senders of more messages than the table takes. */

const owner = "owner@globe.test";
let host: PrivateHost;
beforeAll(async () => {
  if (!isLocal()) return;
  // At most five messages a second, so that the table limits them and not a busy machine.
  const limits = { writes: 100_000, reads: 100_000, partitionWrites: 10 };
  const { env, nodeArgs } = limitedTable(limits);
  host = await aPrivateHost(env, undefined, nodeArgs);
}, 120_000);
afterAll(async () => {
  await host?.stop();
});

async function aSender(index: number) {
  const email = `sender-${index}@globe.test`;
  await host.do(owner, "POST", "/users", {
    email,
    full_name: `Sender ${index}`,
    password: "to-thine-own-self-be-true",
  });
  await host.do(email, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "overload" }] });
  return { email, apiKey: (await host.do(undefined, "POST", "/dev_fetch_api_key", { username: email })).api_key };
}

test.skipIf(!isLocal())(
  "four times as many senders do not make a table that throttles collapse, and each message arrives exactly once",
  { timeout: 400_000 },
  async () => {
    const people = [];
    for (let index = 0; index < 4; index++) people.push(await aSender(index));
    const { stream_id } = await host.do("sender-0@globe.test", "GET", "/get_stream_id", { stream: "overload" });
    const senders = { url: host.url, channelId: stream_id, people };

    const { steps, ...result } = await overload(senders, [4, 16], { seconds: 8, warmUpSeconds: 3 });

    const [atFirst = Number.NaN, overloaded = Number.NaN] = steps.map((step) => step.acknowledgedPerSecond);
    expect(result).toEqual({
      acknowledged: expect.any(Number),
      lost: 0,
      duplicated: 0,
      notReceivedOnce: 0,
      wrongReplies: [],
    });
    // Far below what it should be: at few messages a second, chance and a busier machine change it by a multiple.
    expect(overloaded, JSON.stringify(steps)).toBeGreaterThan(atFirst / 10);
  },
);
