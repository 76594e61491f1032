import { expect, test } from "vitest";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The effects of mentions, besides their HTML. */

const newest = { anchor: "newest", num_before: 10, num_after: 0 };
const unique = () => Math.random().toString(36).slice(2, 8);

async function aGroup(creator: Person, members: Person[], settings: Record<string, unknown> = {}) {
  const name = `players ${unique()}`;
  const params = { name, description: "", members: members.map(({ id }) => id), ...settings };
  const { body } = await creator.call("POST", "/user_groups/create", params);
  return { id: body.group_id as number, name };
}

const flagsOf = async (reader: Person): Promise<string[]> =>
  (await reader.call("GET", "/messages", newest)).body.messages.at(-1).flags;

test("a mention by name sets the mentioned flag, and a silent mention does not", async () => {
  const [hamlet, horatio] = [await aPerson("Hamlet"), await aPerson(`Horatio ${unique()}`)];
  const court = await aChannel("court", [hamlet, horatio]);
  const send = (content: string) =>
    hamlet.call("POST", "/messages", { type: "channel", to: court.id, topic: "t", content });

  await send(`There are more things, @**${horatio.name}**`);
  expect(await flagsOf(horatio)).toContain("mentioned");
  expect(await flagsOf(hamlet)).not.toContain("mentioned");

  await send(`as @_**${horatio.name}** knows`);
  expect(await flagsOf(horatio)).not.toContain("mentioned");
});

test("a group mention flags the group's members, and a wildcard all subscribers", async () => {
  const [hamlet, player, king] = [
    await aPerson("Hamlet", { role: "administrator" }),
    await aPerson("Player"),
    await aPerson("Claudius"),
  ];
  const court = await aChannel("court", [hamlet, player, king]);
  const group = await aGroup(hamlet, [player]);
  const send = (content: string) =>
    hamlet.call("POST", "/messages", { type: "channel", to: court.id, topic: "t", content });

  await send(`Speak the speech, @*${group.name}*`);
  expect(await flagsOf(player)).toContain("mentioned");
  expect(await flagsOf(king)).not.toContain("mentioned");

  await send("Attend, @**all**");
  expect(await flagsOf(king)).toEqual(expect.arrayContaining(["stream_wildcard_mentioned", "wildcard_mentioned"]));
});

test("a message, schedule or edit that mentions a group without permission is refused", async () => {
  const [hamlet, king] = [await aPerson("Hamlet"), await aPerson("Claudius")];
  const court = await aChannel("court", [hamlet, king]);
  const onlyHamlet = { direct_members: [hamlet.id], direct_subgroups: [] };
  const group = await aGroup(hamlet, [hamlet], { can_mention_group: onlyHamlet });
  const message = { type: "channel", to: court.id, topic: "t", content: `Lights! @*${group.name}*` };
  const refused = {
    status: 400,
    body: { code: "BAD_REQUEST", msg: `You are not allowed to mention user group '${group.name}'.` },
  };

  expect((await hamlet.call("POST", "/messages", message)).status).toBe(200);
  expect(await king.call("POST", "/messages", message)).toMatchObject(refused);
  const scheduled = { ...message, scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600 };
  expect(await king.call("POST", "/scheduled_messages", scheduled)).toMatchObject(refused);
  const { body } = await king.call("POST", "/messages", { ...message, content: "Give me some light" });
  expect(await king.call("PATCH", `/messages/${body.id}`, { content: message.content })).toMatchObject(refused);
  // Anyone may mention the group silently.
  expect((await king.call("POST", "/messages", { ...message, content: `@_*${group.name}*` })).status).toBe(200);
});

test("a deactivated user is only mentioned by ID, and silently", async () => {
  const [hamlet, yorick] = [await aPerson("Hamlet"), await aPerson(`Yorick ${unique()}`)];
  await (await aPerson("Claudius", { role: "administrator" })).do("DELETE", `/users/${yorick.id}`);
  const rendered = async (content: string) =>
    (await hamlet.call("POST", "/messages/render", { content })).body.rendered as string;

  const silent = `<p><span class="user-mention silent" data-user-id="${yorick.id}">${yorick.name}</span></p>`;
  expect(await rendered(`@_**${yorick.name}|${yorick.id}**`)).toBe(silent);
  expect(await rendered(`@**${yorick.name}|${yorick.id}**`)).toBe(silent);
  expect(await rendered(`@**${yorick.name}**`)).not.toContain("user-mention");
});

test("the name of a deactivated group is rendered as plain text", async () => {
  const hamlet = await aPerson("Hamlet");
  const group = await aGroup(hamlet, [hamlet]);
  await hamlet.do("POST", `/user_groups/${group.id}/deactivate`);

  const { body } = await hamlet.call("POST", "/messages/render", { content: `@*${group.name}*` });

  expect(body.rendered).not.toContain("user-group-mention");
});
