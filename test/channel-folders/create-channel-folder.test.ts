import { expect, test } from "vitest";
import { recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { adminAndMember, create, foldersFor, patch } from "./folders.ts";

test("an administrator creates a folder, everyone gets an event, and others can put their channels into it", async () => {
  const [admin, miranda] = await adminAndMember();
  const name = unique("Island");
  const log = await recordLog();

  const created = await create(admin, { name: ` ${name} `, description: "full of *noises*" });

  const id = created.body.channel_folder_id;
  const record = {
    id,
    name,
    description: "full of *noises*",
    rendered_description: "<p>full of <em>noises</em></p>",
    order: id,
    date_created: expect.any(Number),
    creator_id: admin.id,
    is_archived: false,
  };
  expect((await foldersFor(miranda)).find((folder) => folder.id === id)).toEqual(record);
  const events = await log.eventsFor(miranda, ["channel_folder"]);
  expect(events).toContainEqual({ type: "channel_folder", op: "add", channel_folder: record });
  const channel = await miranda.call("POST", "/channels/create", {
    name: unique("bay"),
    subscribers: [miranda.id],
    folder_id: id,
  });
  const folderOfChannel = async () =>
    (await miranda.call("GET", `/streams/${channel.body.id}`)).body.stream.folder_id as number | null;
  expect(await folderOfChannel()).toBe(id);
  expect((await patch(admin, id, { is_archived: true })).body.msg).toContain("remove all the channels");
  await miranda.do("PATCH", `/streams/${channel.body.id}`, { folder_id: null });
  expect(await folderOfChannel()).toBeNull();
});

test("folder names are unique, and invalid folders are refused", async () => {
  const [admin, miranda] = await adminAndMember();
  const name = unique("Island");
  await create(admin, { name });
  const messageOf = async (params: Record<string, unknown>, person = admin) => (await create(person, params)).body.msg;

  expect(await messageOf({ name: name.toUpperCase() })).toBe("Channel folder name already in use");
  expect(await messageOf({ name: " " })).toBe("Channel folder name can't be empty.");
  expect(await messageOf({ name: "x".repeat(61) })).toBe("Channel folder name too long (limit: 60 characters).");
  expect(await messageOf({ description: "x".repeat(1025) })).toBe("description is too long (limit: 1024 characters)");
  expect((await create(miranda)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
});
