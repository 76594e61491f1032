import { expect, test } from "vitest";
import { send } from "../support/http.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { addedPath, removedPath } from "./older-fleet.ts";
import type { Upgrade } from "./upgrade.ts";

/** The fleet under test was deployed in an older version, which was used, tested, and upgraded: see run.ts. */

const upgrade: Upgrade = JSON.parse(target().environment.SKEIN_UPGRADE ?? "{}");
const credentials = { email: "owner@globe.test", apiKey: upgrade.apiKey };
const get = async (path: string) => {
  const { status, bytes } = await send("GET", path, undefined, { credentials });
  return { status, text: bytes.toString() };
};
const messagesInTopic = async () => {
  const narrow = encodeURIComponent('[["channel","stage"],["topic","upgrade"]]');
  const query = `anchor=newest&num_before=10&num_after=0&apply_markdown=false&narrow=${narrow}`;
  const { text } = await get(`/api/v1/messages?${query}`);
  return JSON.parse(text).messages as { id: number; content: string }[];
};

test("every request that was made while the fleet was upgraded was served", () => {
  expect(upgrade.failures).toEqual([]);
  expect(upgrade.requests).toBeGreaterThan(10);
});

test("data and API keys from before the upgrade still work", async () => {
  const [message] = await messagesInTopic();

  expect(message).toMatchObject({ id: upgrade.messageId, content: upgrade.content });
  expect(await get(upgrade.upload)).toEqual({ status: 200, text: "Kept before the upgrade." });
});

test("messages scheduled before the upgrade are delivered once", async () => {
  const delivered = await eventually(async () => {
    const found = await messagesInTopic();
    return found.length > 1 && found;
  }, 120);

  expect(delivered.map(({ content }) => content)).toEqual([upgrade.content, upgrade.scheduledContent]);
});

test("added endpoints answer after the upgrade, and removed ones return 404", async () => {
  expect(await get(`/api/v1${addedPath}`)).toMatchObject({ status: 200 });
  expect(await get(`/api/v1${removedPath}`)).toMatchObject({ status: 404 });
});
