import { expect, test } from "vitest";
import { attachmentsOf, fetchFile, upload } from "../support/files.ts";
import { ownEventsOf } from "../support/log.ts";
import { aPerson, call, costTest, partitionEndReadUnits } from "../support/world.ts";

test("users get a list of their own files, oldest first", async () => {
  const [timon, apemantus] = [await aPerson("Timon"), await aPerson("Apemantus")];

  const [first, second] = [await upload(timon, "first.txt"), await upload(timon, "second.txt")];
  await upload(apemantus, "third.txt");

  const paths = (await attachmentsOf(timon)).map(({ path_id }) => `/user_uploads/${path_id}`);
  expect(paths).toEqual([first, second]);
});

test("a deleted file returns 404 for everybody, with an event for its owner", async () => {
  const timon = await aPerson("Timon");
  const url = await upload(timon, "gold.txt", "gold");
  const { body } = await timon.call("GET", "/attachments");
  const { id } = body.attachments[0];
  const link = (await timon.call("GET", url)).body.url;

  const events = await ownEventsOf(timon, "attachment", async () => {
    expect((await timon.call("DELETE", `/attachments/${id}`)).body).toEqual({ result: "success", msg: "" });
  });

  expect(events).toEqual([
    { type: "attachment", op: "remove", attachment: { id }, upload_space_used: expect.any(Number) },
  ]);
  expect(await attachmentsOf(timon)).toEqual([]);
  expect((await fetchFile(timon, url)).status).toBe(404);
  expect((await fetchFile(undefined, link)).status).toBe(404);
});

test("deleting another user's, an unknown and a deleted file returns the same error", async () => {
  const [timon, apemantus] = [await aPerson("Timon"), await aPerson("Apemantus")];
  const url = await upload(timon);
  const [{ id }] = await attachmentsOf(timon);

  const byAnotherUser = await apemantus.call("DELETE", `/attachments/${id}`);
  const unknown = await apemantus.call("DELETE", "/attachments/99999999");
  const negative = await apemantus.call("DELETE", "/attachments/-1");
  const malformedId = await apemantus.call("DELETE", "/attachments/x");
  expect((await fetchFile(timon, url)).status).toBe(200);
  await timon.do("DELETE", `/attachments/${id}`);
  const repeated = await timon.call("DELETE", `/attachments/${id}`);

  expect(byAnotherUser).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid attachment" } });
  expect([unknown.body, negative.body, repeated.body]).toEqual([
    byAnotherUser.body,
    byAnotherUser.body,
    byAnotherUser.body,
  ]);
  expect(malformedId).toMatchObject({ status: 400, body: { msg: "attachment_id is not an integer" } });
});

test("of two concurrent deletions of a file one succeeds", async () => {
  const timon = await aPerson("Timon");
  await upload(timon, "gold.txt", "gold");
  const [{ id }] = await attachmentsOf(timon);

  const events = await ownEventsOf(timon, "attachment", async () => {
    const replies = await Promise.all([1, 2].map(() => timon.call("DELETE", `/attachments/${id}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  expect(events).toHaveLength(1);
});

test("requests without credentials are refused", async () => {
  expect(await call("GET", "/attachments")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("DELETE", "/attachments/1")).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});

costTest("listing ten files costs at most 3.5 read units, and deleting one 4.5 read and 11 write units", async () => {
  const timon = await aPerson("Timon");
  for (let index = 0; index < 10; index++) await upload(timon, `${index}.txt`);
  // Reads what the uploads, and the background work of earlier tests, have written to the log.
  await timon.do("GET", "/attachments");

  const listed = await timon.call("GET", "/attachments");
  const deleted = await timon.call("DELETE", `/attachments/${listed.body.attachments[0].id}`);

  expect(listed.cost.readUnits).toBeLessThanOrEqual(3.5 + partitionEndReadUnits);
  expect(deleted.cost.readUnits).toBeLessThanOrEqual(4.5 + partitionEndReadUnits);
  expect(deleted.cost.writeUnits).toBeLessThanOrEqual(11);
});
