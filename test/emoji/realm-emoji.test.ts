import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { stillOf } from "../../shared/core/emoji/stills.ts";
import { realmEmojiState } from "../../shared/core/emoji/wire.ts";
import { fetchFile, multipart, png } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, sendDirect } from "../support/messages.ts";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

const aName = () => `tick_${randomBytes(4).toString("hex")}`;
const add = (person: Person, name: string, ...contents: (string | Buffer)[]) =>
  person.call(
    "POST",
    `/realm/emoji/${encodeURIComponent(name)}`,
    {},
    {
      credentials: { email: person.email, apiKey: person.apiKey },
      ...multipart(contents.map((content, n) => ({ name: `f${n}`, filename: "tick.png", content }))),
    },
  );
const findByName = async (person: Person, name: string): Promise<any[]> =>
  Object.values((await person.call("GET", "/realm/emoji")).body.emoji).filter((emoji: any) => emoji.name === name);
const refused = (msg: string, code = "BAD_REQUEST") => ({ status: 400, body: { code, msg } });

/** A GIF of one pixel with the given number of frames. */
const gif = (frames: number) => {
  const frame = "21f90400000000002c00000000010001000002024401003b".slice(0, -2);
  return Buffer.from(`47494638396101000100800000000000ffffff${frame.repeat(frames)}3b`, "hex");
};

test("an added emoji is listed, served, sent as an event and usable in reactions", async () => {
  const puck = await aPerson("Puck");
  const [name, end] = [aName(), await logEnd()];

  expect((await add(puck, ` ${name.toUpperCase()} `, png)).body).toEqual({ result: "success", msg: "" });

  const [emoji] = await findByName(puck, name);
  expect(emoji).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name,
    source_url: expect.stringMatching(/^\/user_avatars\/1\/emoji\/images\/[0-9a-f]{32}\.png$/),
    still_url: null,
    deactivated: false,
    author_id: puck.id,
  });
  const served = await fetchFile(undefined, emoji.source_url);
  expect(served.status).toBe(200);
  expect(served.headers["content-type"]).toBe("image/png");
  expect((await realmEmojiState()).realm_emoji[emoji.id]).toEqual(emoji);
  const [added] = await eventsAfter(end, "realm_emoji", ({ realm_emoji }) => emoji.id in realm_emoji);
  expect(added).toMatchObject({ audience: { kind: "everyone" }, event: { op: "update" } });
  const id = await sendDirect(puck, [puck]);
  await puck.do("POST", `/messages/${id}/reactions`, { emoji_name: name });
  expect((await fetchMessage(puck, id)).reactions).toEqual([
    { emoji_name: name, emoji_code: emoji.id, reaction_type: "realm_emoji", user_id: puck.id },
  ]);
});

test("a deactivated emoji frees its name and cannot be used any more, and existing uses stay", async () => {
  const puck = await aPerson("Puck");
  const name = aName();
  await add(puck, name, png);
  const id = await sendDirect(puck, [puck]);
  await puck.do("POST", `/messages/${id}/reactions`, { emoji_name: name });

  expect((await puck.call("DELETE", `/realm/emoji/${name}`)).body).toEqual({ result: "success", msg: "" });

  expect(await findByName(puck, name)).toMatchObject([{ deactivated: true }]);
  expect((await fetchMessage(puck, id)).reactions).toHaveLength(1);
  const otherMessageId = await sendDirect(puck, [puck]);
  expect(await puck.call("POST", `/messages/${otherMessageId}/reactions`, { emoji_name: name })).toMatchObject(
    refused(`Emoji '${name}' does not exist`),
  );
  expect((await puck.call("DELETE", `/messages/${id}/reactions`, { emoji_name: name })).status).toBe(200);
  expect((await add(puck, name, png)).status).toBe(200);
  expect(await findByName(puck, name)).toHaveLength(2);
});

test("names are unique, and only administrators may override those of Unicode emoji", async () => {
  const puck = await aPerson("Puck");
  const name = aName();
  const replies = await Promise.all([add(puck, name, png), add(puck, name, png)]);

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(await add(puck, name, png)).toMatchObject(refused("A custom emoji with this name already exists."));
  expect(await add(puck, "smile", png)).toMatchObject(refused("Only administrators can override default emoji."));
});

test.each([
  ["bad#name", [png], /^Emoji names must contain only/],
  ["ends_", [png], "Emoji names must end with either a letter or digit."],
  ["no_file", [], "You must upload exactly one file."],
  ["two_files", [png, png], "You must upload exactly one file."],
  ["no_picture", ["text"], "Invalid image format"],
  [
    "too_large",
    [Buffer.concat([png, Buffer.alloc(4 * 1024 * 1024)])],
    "Uploaded file is larger than the allowed limit of 4 MiB",
  ],
])("refuses %s", async (name, contents, msg) => {
  const puck = await aPerson("Puck");

  const reply = await add(puck, name, ...contents);

  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.body.msg).toMatch(msg);
});

test("only administrators can deactivate others' emoji, and an unknown one returns 404", async () => {
  const [puck, theseus] = [await aPerson("Puck"), await aPerson("Theseus")];
  const administrator = await aPerson("Egeus", { role: "administrator" });
  const name = aName();
  await add(puck, name, png);

  expect(await theseus.call("DELETE", `/realm/emoji/${name}`)).toMatchObject(
    refused("Must be an organization administrator or emoji author", "UNAUTHORIZED_PRINCIPAL"),
  );
  expect((await administrator.call("DELETE", `/realm/emoji/${name}`)).status).toBe(200);
  expect(await administrator.call("DELETE", `/realm/emoji/${name}`)).toMatchObject({
    status: 404,
    body: { code: "BAD_REQUEST", msg: `Emoji '${name}' does not exist` },
  });
});

test("an animated emoji has a still version, its first frame", async () => {
  const puck = await aPerson("Puck");
  const name = aName();

  expect((await add(puck, name, gif(3))).status).toBe(200);

  const [{ still_url }] = await findByName(puck, name);
  expect(still_url).toMatch(/\.gif$/);
  expect((await fetchFile(undefined, still_url)).status).toBe(200);
  expect(stillOf("image/gif", gif(3))).toEqual(gif(1));
  expect(stillOf("image/gif", gif(1))).toBeUndefined();
  expect(stillOf("image/png", png)).toBeUndefined();
});

test("emoji of the organization file exist from the start", async () => {
  const puck = await aPerson("Puck");

  const [emoji] = await findByName(puck, "globe_theatre");

  expect(emoji).toMatchObject({ id: "1", author_id: null, deactivated: false });
  expect((await fetchFile(undefined, emoji.source_url)).status).toBe(200);
});

test("an unknown file next to the pictures returns 404", async () => {
  for (const path of ["x.png", "..%2F..%2Fuploads", `${"0".repeat(32)}.png`])
    expect((await fetchFile(undefined, `/user_avatars/1/emoji/images/${path}`)).status).toBe(404);
});

test("bots and guests cannot add emoji", async () => {
  const [bot, guest] = [await aBot(await aPerson("Puck")), await aPerson("Egeus", { role: "guest" })];

  expect(await add(bot, aName(), png)).toMatchObject(refused("This endpoint does not accept bot requests."));
  expect(await add(guest, aName(), png)).toMatchObject(refused("Not allowed for guest users"));
});
