import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { aReceiverOf } from "../support/receiver.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

const viola = "viola@globe.test";

describe.skipIf(!isLocal())("a name whose addresses change (on a local host of its own, which resolves it so)", () => {
  let host: PrivateHost;
  beforeAll(async () => {
    const nodeArgs = ["--import", "./test/support/changing-names.ts"];
    host = await aPrivateHost({ SKEIN_OUTGOING_ALLOW: "127.0.0.1" }, undefined, nodeArgs);
  }, 60_000);
  afterAll(() => host?.stop());

  test("is looked up once for each request: the address that was checked is the one that is called", async () => {
    const service = await aReceiverOf({ content: "called" });
    const { port } = new URL(service.url);
    const bot = await host.as(viola, "POST", "/bots", {
      full_name: "Sebastian",
      short_name: "sebastian",
      bot_type: 3,
      payload_url: `http://twin.changing.test:${port}/`,
    });
    const said = async (count: number): Promise<string[]> =>
      eventually(async () => {
        const range = { anchor: "newest", num_before: 20, num_after: 0, apply_markdown: false };
        const { messages } = await host.as(viola, "GET", "/messages", range);
        const own = messages.filter(({ sender_id }: { sender_id: number }) => sender_id === bot.user_id);
        return own.length >= count && own.map(({ content }: { content: string }) => content);
      });
    const call = () => host.as(viola, "POST", "/messages", { type: "direct", to: [bot.user_id], content: "Who?" });

    await call();
    // A second look would have led elsewhere.
    expect(await said(1)).toEqual(["called"]);
    await call();
    const refused = "Failure! Requests to twin.changing.test are not allowed";
    expect((await said(2)).filter((content) => content.startsWith("Failure!"))).toEqual([refused]);
    expect(service.requests).toHaveLength(1);
    await call();

    await eventually(async () => service.requests.length === 2);
    expect(service.requests.map(({ headers }) => headers.host)).toEqual([
      `twin.changing.test:${port}`,
      `twin.changing.test:${port}`,
    ]);
  });
});
