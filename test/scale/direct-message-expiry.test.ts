import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expireDirectMessages } from "../../shared/messaging/messages/edit/expiry.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { findExpiryCursor } from "../../shared/store/messages/expiry.ts";
import { queryItems } from "../../shared/store/table/reads.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { backdateMessage } from "../support/table/aging.ts";
import { isLocal } from "../support/world.ts";

/** The sweep reads all messages of an organization, whose retention applies to everybody, so this file has a private host. */

const [owner, viola] = ["owner@globe.test", "viola@globe.test"];
const expiredAgeSeconds = 31 * 86_400;
let host: PrivateHost;
let violaId: number;

const send = async (content: string) =>
  (await host.as(owner, "POST", "/messages", { type: "direct", to: [violaId], content })).id as number;
const contents = async () => {
  const range = { anchor: "newest", num_before: 500, num_after: 0, apply_markdown: false };
  const { messages } = await host.as(owner, "GET", "/messages", range);
  return messages.map(({ content }: { content: string }) => content);
};

describe.skipIf(!isLocal())("on a private local host", () => {
  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    violaId = (await host.as(viola, "GET", "/users/me")).user_id;
    await host.do(owner, "PATCH", "/realm", { message_retention_days: 30 });
  }, 60_000);
  afterAll(() => host?.stop());

  test("expired direct messages are deleted, and the next sweep starts at the first message that is left", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 120; n++) ids.push(await send(`line ${n}`));
    const toChannel = { type: "channel", to: "stage", topic: "t", content: "kept" };
    await host.do(owner, "POST", "/messages", toChannel);
    const newestId = await send("young");
    for (const id of ids) await backdateMessage(id, expiredAgeSeconds);

    await expireDirectMessages();

    expect(await findExpiryCursor()).toBe(newestId - 1);
    expect((await queryItems({ pk: `DMS#${violaId}` })).map(({ sk }) => Number(sk))).toEqual([newestId]);
    expect(await contents()).toEqual(["kept", "young"]);
    await backdateMessage(newestId - 1, expiredAgeSeconds);
    await backdateMessage(newestId, expiredAgeSeconds);
    await expireDirectMessages();
    expect(await findExpiryCursor()).toBe((await readHead()).message + 1);
    expect(await queryItems({ pk: `DMS#${violaId}` })).toEqual([]);
  }, 60_000);
});
