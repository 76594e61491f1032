import { randomInt } from "node:crypto";
import nacl from "tweetnacl";
import { afterEach, expect, test } from "vitest";
import { findFunction } from "../support/hosts/throttled-function.ts";
import { sendToChannel } from "../support/messages.ts";
import { aDevice, bouncerRequests, registerDevice } from "../support/outside/bouncer.ts";
import { unseal } from "../support/outside/bouncer-stand-in.ts";
import { aCrowd, type Crowd } from "../support/table/crowd.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";
import { memoryOfFunction } from "./function-memory.ts";

const crowdSize = 4_000;
const maxPerRequest = 100;
/** A function's default memory on AWS in MB. Node is not limited to it here. */
const functionMemoryMb = 512;
const keys = nacl.box.keyPair();

let crowd: Crowd | undefined;
// A retry creates new users, so it does not meet those of the first attempt.
afterEach(() => crowd?.remove());

/** The worker that pages through subscribers. */
const worker = "jobs/send-outgoing";

test("four thousand people are notified of one message once each, in requests of a hundred and within the function's memory, while its sender does not wait", async () => {
  const sender = await aPerson("Mark Antony", { role: "administrator" });
  // This may be the organization's first device: only with one are notifications processed.
  await registerDevice(sender, aDevice("fcm"));
  const forum = await aChannel("forum", [sender]);

  // Requests of earlier runs are not counted.
  const firstAccountId = randomInt(100_000, 1_000_000) * 10_000_000;
  crowd = await aCrowd(5_000_000, crowdSize, {
    channelId: forum.id,
    // This test does not cover mail.
    settings: { enable_offline_email_notifications: false },
    device: { publicKey: keys.publicKey, firstAccountId },
  });
  const requests: any[][] = [];
  const received = async () => {
    const marker = `"push_account_id":${String(firstAccountId).slice(0, 6)}`;
    const newRequests = await bouncerRequests(marker, "push/e2ee/notify", requests.length);
    requests.push(...newRequests.map(({ body }) => body.push_requests));
    return requests.flat().length;
  };

  const id = await sendToChannel(sender, forum, "ears", "@**all** lend me your ears");
  const notifiedAtReply = await received();
  await eventually(async () => (await received()) >= crowdSize, 240);

  // The sender's reply came before the notifications were sent.
  expect(notifiedAtReply).toBeLessThan(crowdSize);
  const devices = requests.flat().map(({ device_id }) => device_id as number);
  expect(devices.sort((a, b) => a - b)).toEqual(crowd.ids);
  expect(Math.max(...requests.map((recipients) => recipients.length))).toBeLessThanOrEqual(maxPerRequest);
  const last = JSON.parse(unseal(requests.at(-1)?.at(-1).payload.encrypted_data, keys) ?? "");
  expect(last).toMatchObject({ type: "message", message_id: id, content: "@all lend me your ears" });
  const { name } = await findFunction(worker);
  const peakMemoriesMb = memoryOfFunction(target().environment.AWS_ENDPOINT_URL, name);
  expect(peakMemoriesMb).not.toEqual([]);
  expect(Math.max(...peakMemoriesMb)).toBeLessThan(functionMemoryMb);
}, 300_000);
