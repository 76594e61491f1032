import { expect, test } from "vitest";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aChannel } from "../support/world.ts";
import { adminAndMember, create, foldersFor, patch } from "./folders.ts";

test("a folder can be renamed; archiving frees its name, and unarchiving is refused while another folder has the name", async () => {
  const [admin, miranda] = await adminAndMember();
  const [name, newName] = [unique("Island"), unique("Milan")];
  const { channel_folder_id: id } = (await create(admin, { name })).body;
  const log = await recordLog();

  expect((await patch(admin, id, { name: newName, description: "home" })).body).toEqual({ result: "success", msg: "" });
  expect((await patch(admin, id, { name: newName })).status).toBe(200);
  expect((await patch(admin, id, { is_archived: true })).status).toBe(200);

  expect(await log.eventsFor(miranda, ["channel_folder"])).toEqual(
    expect.arrayContaining([
      {
        type: "channel_folder",
        op: "update",
        channel_folder_id: id,
        data: { name: newName, description: "home", rendered_description: "<p>home</p>" },
      },
      { type: "channel_folder", op: "update", channel_folder_id: id, data: { is_archived: true } },
    ]),
  );
  expect((await foldersFor(miranda)).some((folder) => folder.id === id)).toBe(false);
  expect((await foldersFor(miranda, { includeArchived: true })).some((folder) => folder.id === id)).toBe(true);
  expect((await create(admin, { name })).status).toBe(200);
  expect((await create(admin, { name: newName })).status).toBe(200);
  expect((await patch(admin, id, { is_archived: false })).body.msg).toBe("Channel folder name already in use");
  expect((await patch(admin, id, { is_archived: false, name: unique("Naples") })).status).toBe(200);
  expect((await patch(admin, 99_999, { name: "x" })).body.msg).toBe("Invalid channel folder ID");
  expect((await patch(miranda, id, { name: "x" })).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  const stage = await aChannel("stage", []);
  await patch(admin, id, { is_archived: true });
  expect((await admin.call("PATCH", `/streams/${stage.id}`, { folder_id: id })).body.msg).toBe(
    "Invalid channel folder ID",
  );
});
