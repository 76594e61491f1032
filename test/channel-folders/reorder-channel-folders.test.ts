import { expect, test } from "vitest";
import { recordLog } from "../support/channel-log.ts";
import { adminAndMember, create, foldersFor } from "./folders.ts";

test("reordering folders sends an event, and is refused unless each folder is listed once", async () => {
  const [admin, miranda] = await adminAndMember();
  await create(admin);
  await create(admin);
  const before = (await foldersFor(admin, { includeArchived: true })).map(({ id }) => id);
  const log = await recordLog();

  const reordered = await admin.call("PATCH", "/channel_folders", { order: before.toReversed() });

  expect(reordered.body).toEqual({ result: "success", msg: "" });
  expect((await foldersFor(miranda, { includeArchived: true })).map(({ id }) => id)).toEqual(before.toReversed());
  expect(await log.eventsFor(miranda, ["channel_folder"])).toContainEqual({
    type: "channel_folder",
    op: "reorder",
    order: before.toReversed(),
  });
  for (const order of [before.slice(1), [...before, 99_999], [...before.slice(1), before[1]]])
    expect((await admin.call("PATCH", "/channel_folders", { order })).body.msg).toBe("Invalid order mapping.");
  expect((await miranda.call("PATCH", "/channel_folders", { order: before })).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
});
