import { beforeAll, describe, expect, test } from "vitest";
import { unsafeParts } from "../markdown/html.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";
import { hostileTexts } from "./texts.ts";

/** Sends each hostile text to every place where a user can write: no reply is a 500, and all HTML is our own markup. */

const maxDurationMs = 20_000;
let duncan: Person;
let macbeth: Person;
beforeAll(async () => {
  [duncan, macbeth] = await Promise.all([aPerson("Duncan", { role: "owner" }), aPerson("Macbeth")]);
});

/** Makes a call with each text, some in parallel; returns the replies in the order of the texts. */
async function withEach<T>(texts: readonly string[], work: (text: string, index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < texts.length; start += 8)
    results.push(...(await Promise.all(texts.slice(start, start + 8).map((text, index) => work(text, start + index)))));
  return results;
}

async function callInTime(person: Person, method: string, path: string, params: Record<string, unknown>) {
  const startedAt = Date.now();
  const reply = await person.call(method, path, params);
  expect([params, reply.status < 500, Date.now() - startedAt < maxDurationMs]).toEqual([params, true, true]);
  return reply;
}

test("a message is rendered without a script, in time", async () => {
  const rendered = await withEach(hostileTexts, async (content) => {
    const { status, body } = await callInTime(duncan, "POST", "/messages/render", { content });
    if (status === 200) expect([content, unsafeParts(body.rendered)]).toEqual([content, []]);
    return status;
  });

  expect(rendered.filter((status) => status === 200).length).toBeGreaterThan(hostileTexts.length * 0.95);
});

describe("hostile texts cause neither a 500 nor unsafe HTML", () => {
  test("as topics, messages and descriptions of channels", async () => {
    const heath = await aChannel("heath", [duncan, macbeth]);
    const sent = await withEach(hostileTexts, async (topic) =>
      callInTime(duncan, "POST", "/messages", {
        type: "channel",
        to: heath.id,
        topic: [...topic].slice(0, 60).join(""),
        content: topic,
      }),
    );
    const { body } = await macbeth.call("GET", "/messages", {
      narrow: [["channel", heath.name]],
      anchor: "newest",
      num_before: 1000,
      num_after: 0,
    });

    expect(sent.filter(({ status }) => status === 200).length).toBeGreaterThan(hostileTexts.length * 0.7);
    for (const { content } of body.messages) expect(unsafeParts(content)).toEqual([]);
    for (const description of hostileTexts.slice(0, 40))
      await callInTime(duncan, "PATCH", `/streams/${heath.id}`, {
        description: [...description].slice(0, 1024).join(""),
      });
    const { stream } = (await macbeth.call("GET", `/streams/${heath.id}`)).body;
    expect(unsafeParts(stream.rendered_description)).toEqual([]);
  });

  test("as names of users who are mentioned", async () => {
    const names = hostileTexts.filter((text) => [...text].length <= 100);

    for (const full_name of names) {
      const { status } = await callInTime(macbeth, "PATCH", "/settings", { full_name });
      if (status !== 200) continue;
      const { body } = await callInTime(duncan, "POST", "/messages/render", {
        content: `@**|${macbeth.id}** @_**|${macbeth.id}**`,
      });
      expect([full_name, unsafeParts(body.rendered)]).toEqual([full_name, []]);
    }
  });

  test("as searches, snippets, statuses, reactions, groups, linkifiers and alert words", async () => {
    const shortTexts = hostileTexts.filter((text) => [...text].length <= 60);
    await withEach(hostileTexts, async (text, index) => {
      // The gateway refuses a longer query.
      const narrow = [{ operator: "search", operand: [...text].slice(0, 300).join("") }];
      await callInTime(macbeth, "GET", "/messages", { narrow, anchor: "newest", num_before: 5, num_after: 0 });
      if (index < 90) await callInTime(macbeth, "POST", "/saved_snippets", { title: `${index}`, content: text });
    });
    // Lists that share one item are written sequentially.
    for (const [index, text] of shortTexts.entries()) {
      await callInTime(macbeth, "POST", "/users/me/status", { status_text: text });
      await callInTime(macbeth, "POST", "/messages/1/reactions", { emoji_name: text });
      if (index % 4 > 0) continue;
      await callInTime(duncan, "POST", "/user_groups/create", {
        name: `${index}${text}`,
        description: text,
        members: [],
      });
      await callInTime(duncan, "POST", "/realm/filters", { pattern: text, url_template: `https://x.test/${text}` });
    }
    await callInTime(macbeth, "POST", "/users/me/alert_words", { alert_words: shortTexts });
    const { status, body } = await macbeth.call("POST", "/register", {});

    expect(status).toBe(200);
    expect(body.user_status[macbeth.id]).toBeDefined();
  }, 180_000);
});
