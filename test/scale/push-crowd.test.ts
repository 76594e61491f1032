import { readFileSync } from "node:fs";
import nacl from "tweetnacl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { aDevice } from "../support/outside/bouncer.ts";
import { unseal } from "../support/outside/bouncer-stand-in.ts";
import { aReceiver } from "../support/outside/receiver.ts";
import { aCrowd } from "../support/table/crowd.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

const owner = "owner@globe.test";
const stageId = 1;
const size = 1_500;
/**
 * The maximum heap of the whole host, with all functions and emulators in one process: less than one Lambda function has.
 */
const maxHeapMb = 200;
/** A hundred devices of the crowd, and possibly Viola's. */
const maxNotificationsPerRequest = 101;
const firstCrowdId = 10_000;

/** The keys that decrypt the notifications of all devices. */
const keys = nacl.box.keyPair();

describe.skipIf(!isLocal())("a large channel on a private host, whose memory is measured", () => {
  let host: PrivateHost;
  /** The notifications (`push_requests`) in each request to the bouncer. */
  let requests: any[][] = [];
  /** The number of notifications to devices of the crowd. */
  let received = 0;

  beforeAll(async () => {
    const bouncer = await aReceiver(({ body, path }, response) => {
      if (path.endsWith("/push/e2ee/notify")) {
        const notifications = JSON.parse(body).push_requests;
        received += notifications.filter(({ device_id }: { device_id: number }) => device_id >= firstCrowdId).length;
        requests.push(notifications);
      }
      response.end('{"result":"success","msg":"","device_id":1,"delete_device_ids":[]}');
    });
    host = await aPrivateHost({ SKEIN_PUSH_BOUNCER_URL: bouncer.url }, undefined, [
      `--max-old-space-size=${maxHeapMb}`,
    ]);
    Object.assign(process.env, host.environment);
    // The log is only processed for push notifications once the organization has a device.
    await host.do("viola@globe.test", "POST", "/mobile_push/register", aDevice("fcm").registration);
  }, 60_000);
  afterAll(() => host?.stop());

  /** The resident memory of the host's process, without the table's engine. */
  const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) / 1024;
  /**
   * Mentions everyone in a channel; returns how many devices were notified before the sender had a reply, and the peak
   * memory while `count` devices were notified.
   */
  async function mentionEveryone(to: number, count: number) {
    requests = [];
    received = 0;
    const beforeMb = memoryMb();
    const startedAt = performance.now();
    const sent = await host.as(owner, "POST", "/messages", {
      type: "channel",
      to,
      topic: "all",
      content: "@**all** hear",
    });
    const notifiedAtReply = received;
    expect(sent).toMatchObject({ status: 200 });
    let peakMb = beforeMb;
    await eventually(async () => {
      peakMb = Math.max(peakMb, memoryMb());
      return received >= count;
    }, 300);
    return { notifiedAtReply, beforeMb, peakMb, seconds: (performance.now() - startedAt) / 1000 };
  }

  test("fifteen hundred users are notified of one message once each, in requests of a hundred, in bounded memory", async () => {
    const { stream_id: small } = await host
      .as(owner, "POST", "/channels/create", { name: "small", subscribers: [1] })
      .then(() => host.as(owner, "GET", "/get_stream_id", { stream: "small" }));
    const options = {
      // This test does not cover mail.
      settings: { enable_offline_email_notifications: false },
      device: { publicKey: keys.publicKey, firstAccountId: 1_000_000_000 },
    };
    await aCrowd(firstCrowdId, size / 10, { ...options, channelId: small });
    await aCrowd(firstCrowdId + size, size, { ...options, channelId: stageId });

    const first = await mentionEveryone(small, size / 10);
    const second = await mentionEveryone(stageId, size);

    console.log({ first, second });
    const ids = requests.flat().flatMap(({ device_id }) => (device_id >= firstCrowdId ? [device_id as number] : []));
    expect(ids).toHaveLength(size);
    expect(new Set(ids).size).toBe(size);
    expect(Math.max(...requests.map((each) => each.length))).toBeLessThanOrEqual(maxNotificationsPerRequest);
    const last = JSON.parse(unseal(requests.at(-1)?.at(-1).payload.encrypted_data, keys) ?? "");
    expect(last).toMatchObject({ type: "message", content: "@all hear", realm_name: "Globe Theatre" });
    // Ten times as many users fit into the same heap, and into the memory of one function on AWS (512 MB).
    expect(second.peakMb).toBeLessThan(512);
    // The sender does not wait for them.
    expect(second.notifiedAtReply).toBeLessThan(size);
  }, 400_000);
});
