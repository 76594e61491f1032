import { expect, test } from "vitest";
import { fetchMessage, sendDirect } from "../../support/messages.ts";
import { aPerson, type Person } from "../../support/world.ts";

/** A message that was edited often stays fetchable, and says which earlier texts are left out. */

const longText = (n: number) => `${n} ${"𝕏".repeat(9900)}`;

async function editOften(sender: Person, id: number, count: number) {
  for (let n = 1; n <= count; n++)
    expect((await sender.call("PATCH", `/messages/${id}`, { content: longText(n) })).status).toBe(200);
}

test("of a message with many long edits, the fetched history has the newest texts, and the history endpoint more", async () => {
  const [prospero, ariel] = [await aPerson("Prospero"), await aPerson("Ariel")];
  const id = await sendDirect(prospero, [ariel], longText(0));
  await editOften(prospero, id, 30);

  const message = await fetchMessage(ariel, id);
  const reply = await ariel.call("GET", `/messages/${id}/history`);

  expect(message.content).toBe(longText(30));
  expect(message.edit_history).toHaveLength(30);
  const earlier: string[] = message.edit_history.map(({ prev_content }: any) => prev_content);
  expect(earlier[0]).toBe(longText(29));
  expect(earlier.slice(1, 20).every((text) => text.startsWith("[This text is too long"))).toBe(true);
  expect(earlier.at(-1)).toMatch(/^\[This text is no longer stored/);
  expect(message.edit_history.every((edit: any) => typeof edit.prev_rendered_content === "string")).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(300_000);

  expect(reply.status).toBe(200);
  expect(reply.bytes.length).toBeLessThan(3_100_000);
  const versions = reply.body.message_history;
  expect(versions).toHaveLength(31);
  expect(versions.at(-1)).toMatchObject({ content: longText(30), prev_content: longText(29) });
  expect(versions.at(-10).content).toBe(longText(21));
  expect(versions[0].content).toMatch(/^\[This text is no longer stored/);
});

test("short edits are all in the history, with their texts", async () => {
  const [prospero, ariel] = [await aPerson("Prospero"), await aPerson("Ariel")];
  const id = await sendDirect(prospero, [ariel], "text 0");
  for (let n = 1; n <= 40; n++) await prospero.do("PATCH", `/messages/${id}`, { content: `text ${n}` });

  const { edit_history } = await fetchMessage(ariel, id);
  const { message_history } = await ariel.do("GET", `/messages/${id}/history`);

  const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`);
  expect(edit_history.map(({ prev_content }: any) => prev_content)).toEqual(texts.toReversed());
  expect(message_history.map(({ content }: any) => content)).toEqual([...texts, "text 40"]);
  expect(message_history.slice(1).every(({ content_html_diff }: any) => content_html_diff)).toBe(true);
});

test("a page of messages with long histories has the messages, with fewer of their earlier texts", async () => {
  const [prospero, ariel] = [await aPerson("Prospero"), await aPerson("Ariel")];
  const ids: number[] = [];
  for (let n = 0; n < 16; n++) ids.push(await sendDirect(prospero, [ariel], longText(0)));
  await Promise.all(ids.map((id) => editOften(prospero, id, 2)));

  const range = { anchor: "newest", num_before: 100, num_after: 0, narrow: [["is", "dm"]], apply_markdown: false };
  const { status, body, bytes } = await ariel.call("GET", "/messages", range);

  expect(status).toBe(200);
  expect(bytes.length).toBeLessThan(3_100_000);
  expect(body).toMatchObject({ found_newest: true, found_oldest: true });
  expect(body.messages.map(({ id }: any) => id)).toEqual(ids);
  expect(body.messages.every(({ edit_history }: any) => edit_history.length === 2)).toBe(true);
});

test("HTML of more than a million bytes is refused, as in Zulip", async () => {
  const prospero = await aPerson("Prospero");
  const wideTable = `${"|".repeat(100)}\n${"|-".repeat(99)}|\n${"||\n".repeat(3000)}`;
  const refusal = { status: 400, body: { code: "BAD_REQUEST", msg: "Unable to render message" } };

  expect(await prospero.call("POST", "/messages/render", { content: wideTable })).toMatchObject(refusal);
  const message = { type: "direct", to: [prospero.id], content: wideTable };
  expect(await prospero.call("POST", "/messages", message)).toMatchObject(refusal);
  const id = await sendDirect(prospero, [prospero], "text");
  expect(await prospero.call("PATCH", `/messages/${id}`, { content: wideTable })).toMatchObject(refusal);
});
