import { readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { aCrowd } from "../support/table/crowd.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

const owner = "owner@globe.test";
const stageId = 1;
/** With ten thousand users the test takes two and a half minutes and 310 MB. */
const size = 1_000;
/**
 * The maximum heap of the whole host, with all functions and emulators in one process: less than one Lambda function has.
 */
const maxHeapMb = 200;
const firstCrowdId = 10_000;

interface Work {
  jobs: number;
  readUnits: number;
  writeUnits: number;
}

describe.skipIf(!isLocal())("a large channel on a private host, whose memory is measured", () => {
  let host: PrivateHost;
  let logFile: string;
  let mailFolder: string;

  beforeAll(async () => {
    logFile = join(tmpdir(), `skein-mail-crowd-${process.pid}.log`);
    host = await aPrivateHost({}, logFile, [`--max-old-space-size=${maxHeapMb}`]);
    Object.assign(process.env, host.environment);
    mailFolder = join(host.dataFolder, "aws", "mail");
  }, 60_000);
  afterAll(async () => {
    await host?.stop();
    rmSync(logFile, { force: true });
  });

  /** The resident memory of the host's process, without the table's engine. */
  const memoryMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) / 1024;
  const mails = (): string[] => {
    try {
      return readdirSync(mailFolder).filter((name) => name.endsWith(".eml"));
    } catch {
      return [];
    }
  };
  /** The sums of the records of each kind of job in the host's log. */
  const workByKind = () => {
    const kinds: Record<string, Work> = {};
    for (const [, endpoint = "", record = ""] of readFileSync(logFile, "utf8").matchAll(
      /^\d+ (job .*?) \d+ ms.*?(\{.*\})$/gm,
    )) {
      const { readUnits, writeUnits } = JSON.parse(record);
      const sum = kinds[endpoint] ?? { jobs: 0, readUnits: 0, writeUnits: 0 };
      kinds[endpoint] = {
        jobs: sum.jobs + 1,
        readUnits: sum.readUnits + readUnits,
        writeUnits: sum.writeUnits + writeUnits,
      };
    }
    return kinds;
  };
  /**
   * Mentions everyone in a channel; returns how many users were mailed before the sender had a reply, and the peak memory
   * while `count` users were mailed.
   */
  async function mentionEveryone(to: number, count: number) {
    const before = { memoryMb: memoryMb(), mails: mails().length };
    const content = "@**all** hear";
    const sent = await host.as(owner, "POST", "/messages", { type: "channel", to, topic: "all", content });
    const mailedAtReply = mails().length - before.mails;
    expect(sent).toMatchObject({ status: 200 });
    let peakMb = before.memoryMb;
    await eventually(async () => {
      peakMb = Math.max(peakMb, memoryMb());
      return mails().length - before.mails >= count;
    }, 900);
    return { mailedAtReply, peakMb };
  }

  test("a thousand absent users are each mailed once about a wildcard mention, in bounded memory", async () => {
    const { stream_id: small } = await host
      .as(owner, "POST", "/channels/create", { name: "small", subscribers: [1] })
      .then(() => host.as(owner, "GET", "/get_stream_id", { stream: "small" }));
    const options = { settings: { email_notifications_batching_period_seconds: 1 }, hasAccount: true };
    await aCrowd(firstCrowdId, size / 10, { ...options, channelId: small });
    await aCrowd(firstCrowdId + size, size, { ...options, channelId: stageId });

    const first = await mentionEveryone(small, size / 10);
    const second = await mentionEveryone(stageId, size);

    const people = size / 10 + size;
    // A job decides on the mails of 25; a mail is looked at again while the step that notes its messages is not done.
    const { "job send-missed-mails": deciding, "job send-mail": sending } = workByKind();
    expect(deciding?.jobs).toBeGreaterThanOrEqual(people / 25);
    expect(sending?.writeUnits).toBeLessThanOrEqual(2.1 * people);
    const received = mails().map((name) =>
      /^To: (.*)$/m.exec(readFileSync(join(mailFolder, name), "utf8"))?.[1]?.trim(),
    );
    const faces = received.filter((address) => address?.startsWith("face-"));
    expect(faces).toHaveLength(people);
    expect(new Set(faces).size).toBe(faces.length);
    // Ten times as many users fit into the same heap, and into the memory of one function on AWS (512 MB).
    expect(second.peakMb).toBeLessThan(512);
    // The sender does not wait for them.
    expect(second.mailedAtReply).toBeLessThan(size);
    expect(first.peakMb).toBeLessThan(512);
  }, 1_200_000);
});
