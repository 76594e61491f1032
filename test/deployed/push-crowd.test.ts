import { randomInt } from "node:crypto";
import nacl from "tweetnacl";
import { afterAll, expect, test } from "vitest";
import { startingSubscription } from "../../shared/channels/defaults.ts";
import { writeInBulk } from "../../shared/store/bulk.ts";
import { createPushDevice, ownerListing } from "../../shared/store/push-devices.ts";
import { createSubscription } from "../../shared/store/subscriptions.ts";
import { updateUserSettings } from "../../shared/store/user-settings.ts";
import { createUser } from "../../shared/store/users.ts";
import type { Item, Write } from "../../shared/store/writes.ts";
import { roles } from "../../shared/users/roles.ts";
import { aDevice, registered, seenByBouncer } from "../support/bouncer.ts";
import { unsealed } from "../support/bouncer-stand-in.ts";
import { say } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** Ten thousand, and the memory that they take, are shown on one machine: test/scale/push-crowd.test.ts. */
const size = 1000;
const mostToRequest = 100;
const firstFace = 5_000_000;
/** What the bouncer saw of an earlier run is not counted. */
const firstAccount = randomInt(100_000, 1_000_000) * 10_000_000;
const keys = nacl.box.keyPair();

/** The items of people who are away, with a device each, in a channel; they want no mail. */
const itemsOf = (write: Write): Item[] => {
  if (write.kind === "put") return [write.item];
  return write.kind === "update" ? [{ ...write.key, ...write.update.set }] : [];
};
function face(id: number, channelId: number): Item[] {
  const device = {
    userId: id,
    pushAccountId: firstAccount + id,
    tokenKind: "fcm" as const,
    publicKey: Buffer.from(keys.publicKey).toString("base64"),
    bouncerPublicKey: "",
    encryptedRegistration: "",
    status: "active" as const,
    deviceId: id,
  };
  const email = `face-${id}@globe.test`;
  const user = { id, email, fullName: `Face ${id}`, role: roles.member, active: true, joinedAt: 0, timezone: "" };
  return [
    ...itemsOf(createUser({ ...user, avatarSource: "G", avatarVersion: 1 })),
    ...itemsOf(updateUserSettings(id, { set: { enable_offline_email_notifications: false } })),
    ...itemsOf(createSubscription(startingSubscription(id, channelId, 1))),
    ...itemsOf(createPushDevice(device)).map((item) => ({
      ...item,
      ...ownerListing(id, String(device.pushAccountId)),
    })),
  ];
}

let faces: Item[] = [];
// Other files' cases meet nobody whom they have not made.
afterAll(() => writeInBulk([], faces));

test("a crowd is told of one message in requests of a hundred, each once, and its sender does not wait for that", async () => {
  const sender = await aPerson("Mark Antony", { role: "administrator" });
  // The organization's first device, perhaps: from now on the log is followed.
  await registered(sender, aDevice("fcm"));
  const forum = await aChannel("forum", [sender]);
  const ids = Array.from({ length: size }, (_, index) => firstFace + index);
  faces = ids.flatMap((id) => face(id, forum.id));
  await writeInBulk(faces);
  const requests = async () => {
    const seen = await seenByBouncer(`"push_account_id":${String(firstAccount).slice(0, 6)}`, "push/e2ee/notify");
    return seen.map(({ body }) => body.push_requests as any[]);
  };

  const id = await say(sender, forum, "ears", "@**all** lend me your ears");
  const toldAtOnce = (await requests()).flat().length;
  const all = await eventually(async () => {
    const some = await requests();
    return some.flat().length >= size && some;
  }, 110);

  expect(toldAtOnce).toBeLessThan(size);
  expect(
    all
      .flat()
      .map(({ device_id }) => device_id)
      .sort((a, b) => a - b),
  ).toEqual(ids);
  expect(Math.max(...all.map((each) => each.length))).toBeLessThanOrEqual(mostToRequest);
  const told = JSON.parse(unsealed(all.at(-1)?.at(-1).payload.encrypted_data, keys) ?? "");
  expect(told).toMatchObject({ type: "message", message_id: id, content: "@all lend me your ears" });
}, 240_000);
