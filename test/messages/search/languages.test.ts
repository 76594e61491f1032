import { beforeAll, expect, test } from "vitest";
import { batchesOf } from "../../../shared/base/batches.ts";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { waitForSearchIndex } from "../../support/table/search-index.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";
import { english, texts } from "./cases.ts";

/** Searches in many languages, all of which Holofernes knows. */

let holofernes: Person;
let academe: Channel;
const names = new Map<number, string>();

const namesFound = async (operand: string) => {
  const narrow = [
    { operator: "channel", operand: academe.id },
    { operator: "search", operand },
  ];
  const params = { narrow, anchor: "newest", num_before: 100, num_after: 0 };
  const { status, body } = await holofernes.call("GET", "/messages", params);
  expect([operand, status]).toEqual([operand, 200]);
  return body.messages.map(({ id }: { id: number }) => names.get(id)).sort();
};

const send = async (name: string, content: string) => {
  const message = { type: "channel", to: academe.id, topic: "languages", content };
  names.set((await holofernes.do("POST", "/messages", message)).id, name);
};

beforeAll(async () => {
  holofernes = await aPerson("Holofernes");
  academe = await aChannel("academe", [holofernes]);
  for (const batch of batchesOf(Object.entries(texts), 8))
    await Promise.all(batch.map(([name, text]) => send(name, text)));
  await waitForSearchIndex();
});

test("words of fifteen languages and more find the messages with them, and no others", {
  timeout: 120_000,
}, async () => {
  const wrong: unknown[] = [];
  for (const batch of batchesOf(english, 8))
    await Promise.all(
      batch.map(async ([query, ...expected]) => {
        const found = await namesFound(query);
        if (found.join() !== expected.sort().join()) wrong.push({ query, found, expected });
      }),
    );
  expect(wrong).toEqual([]);
});
