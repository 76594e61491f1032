import { beforeAll, expect, test } from "vitest";
import { unclaimedFileSeconds } from "../../shared/base/limits.ts";
import { removeUnclaimed } from "../../shared/messaging/uploads/sweep.ts";
import { findMessage } from "../../shared/store/messages/messages.ts";
import { findUpload, listClaims, setUnclaimedSince } from "../../shared/store/organization/uploads.ts";
import { attachmentsOf, fetchFile, upload } from "../support/files.ts";
import { ownEventsOf } from "../support/log.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aChannel, aPerson, costTest, type Person } from "../support/world.ts";

let cymbeline: Person;
let imogen: Person;
let iachimo: Person;
beforeAll(async () => {
  [cymbeline, imogen, iachimo] = [await aPerson("Cymbeline"), await aPerson("Imogen"), await aPerson("Iachimo")];
});

const statusFor = async (person: Person, url: string) => (await fetchFile(person, url)).status;
const linkTo = (url: string, text = "file") => `[${text}](${url})`;
const recordOf = async (owner: Person, url: string) =>
  (await attachmentsOf(owner)).find(({ path_id }) => url === `/user_uploads/${path_id}`);

test("exactly the readers of a message can read the files that it links to", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline, imogen], { inviteOnly: true });

  const id = await sendToChannel(cymbeline, court, "letters", linkTo(url));

  expect([await statusFor(imogen, url), await statusFor(iachimo, url)]).toEqual([200, 404]);
  const record = await recordOf(cymbeline, url);
  expect(record.messages).toEqual([{ id, date_sent: expect.any(Number) }]);
  expect(record.messages[0].date_sent % 1000).toBe(0);
  expect(Math.abs(record.messages[0].date_sent - Date.now())).toBeLessThan(60_000);
});

test("files in direct messages can be read by the participants, and in public channels by later subscribers", async () => {
  const [sentDirectly, posted] = [await upload(cymbeline), await upload(cymbeline)];
  const square = await aChannel("square", [cymbeline]);

  await sendDirect(cymbeline, [imogen], linkTo(sentDirectly));
  await sendToChannel(cymbeline, square, "news", linkTo(posted));

  expect([await statusFor(imogen, sentDirectly), await statusFor(iachimo, sentDirectly)]).toEqual([200, 404]);
  expect([await statusFor(imogen, posted), await statusFor(iachimo, posted)]).toEqual([200, 200]);
});

test("a link posted by someone who may not read the file gives no access", async () => {
  const url = await upload(cymbeline);
  const square = await aChannel("square", [iachimo, imogen]);

  await sendToChannel(iachimo, square, "theft", linkTo(url));

  expect([await statusFor(iachimo, url), await statusFor(imogen, url)]).toEqual([404, 404]);
  expect((await recordOf(cymbeline, url)).messages).toEqual([]);
});

test("a reader of a file can share it by linking to it", async () => {
  const url = await upload(cymbeline);
  await sendDirect(cymbeline, [imogen], linkTo(url));

  await sendDirect(imogen, [iachimo], linkTo(url));

  expect(await statusFor(iachimo, url)).toBe(200);
  expect((await recordOf(cymbeline, url)).messages).toHaveLength(2);
});

test("the owner gets an event when a message starts or stops linking to a file", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline, imogen]);
  let id = 0;

  const events = await ownEventsOf(cymbeline, "attachment", async () => {
    id = await sendToChannel(cymbeline, court, "letters", `${linkTo(url)} and ${linkTo(url, "again")}`);
    await cymbeline.do("PATCH", `/messages/${id}`, { content: "nothing" });
  });

  const record = await recordOf(cymbeline, url);
  const claim = { id, date_sent: expect.any(Number) };
  expect(events).toEqual([
    {
      type: "attachment",
      op: "update",
      attachment: { ...record, messages: [claim] },
      upload_space_used: expect.any(Number),
    },
    {
      type: "attachment",
      op: "update",
      attachment: { ...record, messages: [] },
      upload_space_used: expect.any(Number),
    },
  ]);
});

test("an edit revokes access to files whose links it removes, and gives access to files that it links to", async () => {
  const [removedUrl, keptUrl, addedUrl] = [await upload(cymbeline), await upload(cymbeline), await upload(cymbeline)];
  const court = await aChannel("court", [cymbeline, imogen]);
  const id = await sendToChannel(cymbeline, court, "letters", `${linkTo(removedUrl)} ${linkTo(keptUrl)}`);

  const edited = await cymbeline.call("PATCH", `/messages/${id}`, {
    content: `${linkTo(keptUrl)} ${linkTo(addedUrl)}`,
  });
  const moved = await cymbeline.call("PATCH", `/messages/${id}`, { topic: "other letters" });

  const record = await recordOf(cymbeline, removedUrl);
  expect(edited.body).toEqual({ result: "success", msg: "", detached_uploads: [{ ...record, messages: [] }] });
  expect(moved.body).toEqual({ result: "success", msg: "", detached_uploads: [] });
  expect(await Promise.all([removedUrl, keptUrl, addedUrl].map((url) => statusFor(imogen, url)))).toEqual([
    404, 200, 200,
  ]);
});

test("when the last message that links to a file is deleted, the file is deleted", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline, imogen]);
  const [first, second] = [
    await sendToChannel(cymbeline, court, "a", linkTo(url)),
    await sendToChannel(cymbeline, court, "b", linkTo(url)),
  ];

  const events = await ownEventsOf(cymbeline, "attachment", async () => {
    expect((await cymbeline.call("DELETE", `/messages/${first}`)).status).toBe(200);
    expect((await recordOf(cymbeline, url)).messages).toMatchObject([{ id: second }]);
    expect(await statusFor(imogen, url)).toBe(200);
    expect((await cymbeline.call("DELETE", `/messages/${second}`)).status).toBe(200);
  });

  expect(await recordOf(cymbeline, url)).toBeUndefined();
  expect([await statusFor(imogen, url), await statusFor(cymbeline, url)]).toEqual([404, 404]);
  expect(events.map(({ op }) => op)).toEqual(["update", "remove"]);
});

test("concurrent deletion of both messages that link to a file deletes the file", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline]);
  const ids = [
    await sendToChannel(cymbeline, court, "a", linkTo(url)),
    await sendToChannel(cymbeline, court, "b", linkTo(url)),
  ];

  const replies = await Promise.all(ids.map((id) => cymbeline.call("DELETE", `/messages/${id}`)));

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(await recordOf(cymbeline, url)).toBeUndefined();
});

test("concurrent messages that link to a file all claim it", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline]);

  const ids = await Promise.all(["a", "b", "c"].map((topic) => sendToChannel(cymbeline, court, topic, linkTo(url))));

  const { messages } = await recordOf(cymbeline, url);
  expect(messages.map(({ id }: { id: number }) => id)).toEqual(ids.sort((a, b) => a - b));
});

test("a sweep concurrent with a message either keeps the file with its claim or deletes it without one", async () => {
  const court = await aChannel("court", [cymbeline]);
  for (let round = 0; round < 5; round++) {
    const url = await upload(cymbeline);
    const pathId = url.slice("/user_uploads/".length);
    await setUnclaimedSince(pathId, 0);

    const [id] = await Promise.all([sendToChannel(cymbeline, court, "a", linkTo(url)), removeUnclaimed(1)]);

    const [file, claims, message] = [await findUpload(pathId), await listClaims(pathId, 10), await findMessage(id)];
    const claimed = message?.uploads?.includes(pathId) === true;
    expect([file !== undefined, claims.length]).toEqual(claimed ? [true, 1] : [false, 0]);
  }
});

test("a file that a scheduled message links to is kept until the message is sent, and its readers can read the file from then on", async () => {
  const url = await upload(cymbeline);
  const pathId = url.slice("/user_uploads/".length);
  const schedule = (scheduled_delivery_timestamp: number) =>
    cymbeline.call("POST", "/scheduled_messages", {
      type: "direct",
      to: [imogen.id],
      content: linkTo(url),
      scheduled_delivery_timestamp,
    });
  await setUnclaimedSince(pathId, 0);

  const [scheduledLate, scheduledSoon] = [await schedule(inSeconds(86_400)), await schedule(soon())];
  // A file without a link is kept for `unclaimedFileSeconds` (four weeks); this sweep runs as if 20 hours had passed.
  const unclaimedBefore = Date.now() + 20 * 3_600_000 - unclaimedFileSeconds * 1000;
  await removeUnclaimed(unclaimedBefore);

  expect([scheduledLate.status, scheduledSoon.status, await statusFor(cymbeline, url)]).toEqual([200, 200, 200]);
  await eventually(async () => (await statusFor(imogen, url)) === 200);
  expect((await recordOf(cymbeline, url)).messages).toHaveLength(1);
});

test("the owner can delete a file that messages link to, and the messages stay", async () => {
  const url = await upload(cymbeline);
  const court = await aChannel("court", [cymbeline, imogen]);
  const id = await sendToChannel(cymbeline, court, "a", linkTo(url));

  const deleted = await cymbeline.call("DELETE", `/attachments/${(await recordOf(cymbeline, url)).id}`);
  const removed = await cymbeline.call("DELETE", `/messages/${id}`);

  expect([deleted.status, removed.status, await statusFor(imogen, url)]).toEqual([200, 200, 404]);
});

costTest("a linked file adds at most 3 read and 9 write units to a message's cost", async () => {
  const court = await aChannel("court", [cymbeline]);
  const url = await upload(cymbeline);
  const send = (content: string) =>
    cymbeline.call("POST", "/messages", { type: "channel", to: court.id, topic: "t", content });
  await send("first");

  const [without, withFile] = [await send("text"), await send(linkTo(url))];

  expect(withFile.cost.readUnits - without.cost.readUnits).toBeLessThanOrEqual(3);
  expect(withFile.cost.writeUnits - without.cost.writeUnits).toBeLessThanOrEqual(9);
});
