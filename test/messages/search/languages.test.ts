import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { waitForSearchIndex } from "../../support/search-index.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";
import { english, texts } from "./cases.ts";

/** Searches in many languages: Holofernes knows them all, and Dull has his words to look for. */

let holofernes: Person;
let academe: Channel;
const names = new Map<number, string>();

const search = async (operand: string, num_before = 100) => {
  const narrow = [
    { operator: "channel", operand: academe.id },
    { operator: "search", operand },
  ];
  const { status, body } = await holofernes.call("GET", "/messages", {
    ...{ narrow, anchor: "newest", num_before, num_after: 0 },
  });
  expect([operand, status]).toEqual([operand, 200]);
  return body.messages as { id: number; match_content: string }[];
};
const namesFound = async (query: string) => (await search(query)).map(({ id }) => names.get(id));

const send = async (name: string, content: string) => {
  const message = { type: "channel", to: academe.id, topic: "languages", content };
  names.set((await holofernes.do("POST", "/messages", message)).id, name);
};

beforeAll(async () => {
  holofernes = await aPerson("Holofernes");
  academe = await aChannel("academe", [holofernes]);
  for (const [name, text] of Object.entries(texts)) await send(name, text);
  await waitForSearchIndex();
});

test("words of fifteen languages and more find the messages with them, and no others", {
  timeout: 120_000,
}, async () => {
  const wrong: unknown[] = [];
  for (let start = 0; start < english.length; start += 8)
    await Promise.all(
      english.slice(start, start + 8).map(async ([query, ...expected]) => {
        const found = await namesFound(query);
        if (found.join() !== expected.join()) wrong.push({ query, found, expected });
      }),
    );
  expect(wrong).toEqual([]);
});
