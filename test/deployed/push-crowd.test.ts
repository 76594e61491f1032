import { randomInt } from "node:crypto";
import nacl from "tweetnacl";
import { afterEach, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { sendToChannel } from "../support/messages.ts";
import { aDevice, bouncerRequests, registered } from "../support/outside/bouncer.ts";
import { unsealed } from "../support/outside/bouncer-stand-in.ts";
import { aCrowd, type Crowd } from "../support/table/crowd.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";
import { memoryOfFunctions } from "./function-memory.ts";

const size = 10_000;
const maxToRequest = 100;
/** MB that a function has on AWS unless the operator says otherwise. Here nothing keeps Node from taking more. */
const given = 512;
const keys = nacl.box.keyPair();

let crowd: Crowd | undefined;
// A second try begins anew, and other files' cases meet nobody whom they have not made.
afterEach(() => crowd?.remove());

/** Those that look through a crowd: for its devices, and for whom to mail. */
const concerned = /mobilepush|mail/i;

test("ten thousand people are notified of one message once each, in requests of a hundred and within the function's memory, while its sender does not wait", async () => {
  const sender = await aPerson("Mark Antony", { role: "administrator" });
  // The organization's first device, perhaps: from now on the log is followed.
  await registered(sender, aDevice("fcm"));
  const [forum, closet] = [await aChannel("forum", [sender]), await aChannel("closet", [sender])];
  const sending = async (channel: Channel) => {
    const startedAt = performance.now();
    const id = await sendToChannel(sender, channel, "ears", "@**all** lend me your ears");
    return { id, ms: performance.now() - startedAt };
  };
  await sending(closet);
  const toNobody = await sending(closet);

  // What the bouncer saw in an earlier run is not counted.
  const firstAccountId = randomInt(100_000, 1_000_000) * 10_000_000;
  crowd = await aCrowd(5_000_000, size, {
    channelId: forum.id,
    // Mail of it is another matter.
    settings: { enable_offline_email_notifications: false },
    device: { publicKey: keys.publicKey, firstAccountId },
  });
  const requests: any[][] = [];
  const told = async () => {
    const marker = `"push_account_id":${String(firstAccountId).slice(0, 6)}`;
    const seen = await bouncerRequests(marker, "push/e2ee/notify", requests.length);
    requests.push(...seen.map(({ body }) => body.push_requests));
    return requests.flat().length;
  };

  const { id, ms } = await sending(forum);
  const toldAtOnce = await told();
  await eventually(async () => (await told()) >= size, 240);

  expect(ms - toNobody.ms).toBeLessThan(1000);
  expect(toldAtOnce).toBeLessThan(size);
  const devices = requests.flat().map(({ device_id }) => device_id as number);
  expect(devices.sort((a, b) => a - b)).toEqual(crowd.ids);
  expect(Math.max(...requests.map((each) => each.length))).toBeLessThanOrEqual(maxToRequest);
  const last = JSON.parse(unsealed(requests.at(-1)?.at(-1).payload.encrypted_data, keys) ?? "");
  expect(last).toMatchObject({ type: "message", message_id: id, content: "@all lend me your ears" });
  const used = memoryOfFunctions(target().environment.AWS_ENDPOINT_URL, concerned);
  expect(used.length).toBeGreaterThan(1);
  expect(Math.max(...used)).toBeLessThan(given);
}, 300_000);
