import { expect, test } from "vitest";
import { listening } from "../support/channel-log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2, 10)}`;
const create = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/channel_folders/create", { name: unique("folder"), ...params });
const patch = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("PATCH", `/channel_folders/${id}`, params);
interface Folder {
  id: number;
}
const foldersFor = async (person: Person, include_archived = false): Promise<Folder[]> =>
  (await person.call("GET", "/channel_folders", { include_archived })).body.channel_folders;
const people = async () =>
  [await aPerson("Prospero", { role: "administrator" }), await aPerson("Miranda")] as [Person, Person];

test("an administrator creates a folder, everyone is told and may put their channels into it", async () => {
  const [admin, miranda] = await people();
  const name = unique("Island");
  const log = await listening();

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
  const heard = await log.heardBy(miranda, ["channel_folder"]);
  expect(heard).toContainEqual({ type: "channel_folder", op: "add", channel_folder: record });
  const channel = await miranda.call("POST", "/channels/create", {
    name: unique("bay"),
    subscribers: [miranda.id],
    folder_id: id,
  });
  const inFolder = async () =>
    (await miranda.call("GET", `/streams/${channel.body.id}`)).body.stream.folder_id as number | null;
  expect(await inFolder()).toBe(id);
  expect((await patch(admin, id, { is_archived: true })).body.msg).toContain("remove all the channels");
  await miranda.call("PATCH", `/streams/${channel.body.id}`, { folder_id: null });
  expect(await inFolder()).toBeNull();
});

test("names are of one folder at a time, and what cannot be is refused", async () => {
  const [admin, miranda] = await people();
  const name = unique("Island");
  await create(admin, { name });
  const messageOf = async (params: Record<string, unknown>, person = admin) => (await create(person, params)).body.msg;

  expect(await messageOf({ name: name.toUpperCase() })).toBe("Channel folder name already in use");
  expect(await messageOf({ name: " " })).toBe("Channel folder name can't be empty.");
  expect(await messageOf({ name: "x".repeat(61) })).toBe("Channel folder name too long (limit: 60 characters).");
  expect(await messageOf({ description: "x".repeat(1025) })).toBe("description is too long (limit: 1024 characters)");
  expect((await create(miranda)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
});

test("a folder is changed, archived with its name given free, and brought back unless that is taken", async () => {
  const [admin, miranda] = await people();
  const [name, later] = [unique("Island"), unique("Milan")];
  const { channel_folder_id: id } = (await create(admin, { name })).body;
  const log = await listening();

  expect((await patch(admin, id, { name: later, description: "home" })).body).toEqual({ result: "success", msg: "" });
  expect((await patch(admin, id, { name: later })).status).toBe(200);
  expect((await patch(admin, id, { is_archived: true })).status).toBe(200);

  expect(await log.heardBy(miranda, ["channel_folder"])).toEqual(
    expect.arrayContaining([
      {
        type: "channel_folder",
        op: "update",
        channel_folder_id: id,
        data: { name: later, description: "home", rendered_description: "<p>home</p>" },
      },
      { type: "channel_folder", op: "update", channel_folder_id: id, data: { is_archived: true } },
    ]),
  );
  expect((await foldersFor(miranda)).some((folder) => folder.id === id)).toBe(false);
  expect((await foldersFor(miranda, true)).some((folder) => folder.id === id)).toBe(true);
  expect((await create(admin, { name })).status).toBe(200);
  expect((await create(admin, { name: later })).status).toBe(200);
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

test("the order is given for all folders at once", async () => {
  const [admin, miranda] = await people();
  await create(admin);
  await create(admin);
  const before = (await foldersFor(admin, true)).map(({ id }) => id);
  const log = await listening();

  const reordered = await admin.call("PATCH", "/channel_folders", { order: before.toReversed() });

  expect(reordered.body).toEqual({ result: "success", msg: "" });
  expect((await foldersFor(miranda, true)).map(({ id }) => id)).toEqual(before.toReversed());
  expect(await log.heardBy(miranda, ["channel_folder"])).toContainEqual({
    type: "channel_folder",
    op: "reorder",
    order: before.toReversed(),
  });
  for (const order of [before.slice(1), [...before, 99_999], [...before.slice(1), before[1]]])
    expect((await admin.call("PATCH", "/channel_folders", { order })).body.msg).toBe("Invalid order mapping.");
  expect((await miranda.call("PATCH", "/channel_folders", { order: before })).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
});
