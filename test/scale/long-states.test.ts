import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import zulip from "zulip-js";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { runPython } from "../support/outside/python.ts";
import { isLocal } from "../support/world.ts";

/** Registrations whose snapshot is too large to be returned in full. */

const owner = "owner@globe.test";
let host: PrivateHost;
beforeAll(async () => {
  if (isLocal()) host = await aPrivateHost();
}, 60_000);
afterAll(async () => host?.stop());
/** On a private host, because it would slow down all other files. */
const hostTest = (name: string, run: () => Promise<void>) => test.skipIf(!isLocal())(name, run, 300_000);

/** Text that cannot be compressed. */
const noise = (length: number) =>
  String.fromCodePoint(...Array.from({ length }, () => 0x10000 + Math.floor(Math.random() * 0x100000)));

hostTest("a registration returns 900 channels with long descriptions", async () => {
  const channels = Array.from({ length: 900 }, (_, index) => ({ name: `crowd ${index}`, description: noise(1000) }));
  for (let start = 0; start < channels.length; start += 60)
    await Promise.all(
      [0, 20, 40].map(async (from) => {
        const subscriptions = channels.slice(start + from, start + from + 20);
        expect(await host.as(owner, "POST", "/users/me/subscriptions", { subscriptions })).toMatchObject({
          status: 200,
        });
      }),
    );

  const { status, body, encoding } = await host.raw(owner, "/register", "gzip", "POST");

  expect([status, encoding]).toEqual([200, "gzip"]);
  const { subscriptions, streams } = JSON.parse(gunzipSync(body).toString());
  expect([subscriptions.length, streams.length].every((length) => length >= 900)).toBe(true);
  const { stream_id, description } = subscriptions.at(-1);
  const { stream } = await host.as(owner, "GET", `/streams/${stream_id}`);
  expect(description).toMatch(/…$/);
  expect(stream.description.startsWith(description.slice(0, -1).toWellFormed().slice(0, 20))).toBe(true);
});

hostTest("a snapshot too large for one reply is served by a redirect, which clients follow", async () => {
  const viola = "viola@globe.test";
  const { user_id } = await host.as(viola, "GET", "/users/me");
  const draft = () => ({ type: "", to: [], topic: "", content: noise(10_000) });
  const schedule = () =>
    host.as(viola, "POST", "/scheduled_messages", {
      type: "direct",
      to: [user_id],
      content: noise(9999),
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
    });
  for (let n = 0; n < 12; n++) {
    const snippets = Array.from({ length: 8 }, (_, index) =>
      host.as(viola, "POST", "/saved_snippets", { title: `${n} ${index}`, content: noise(10_000) }),
    );
    const drafts = host.as(viola, "POST", "/drafts", { drafts: Array.from({ length: 8 }, draft) });
    const scheduled = Array.from({ length: 4 }, schedule);
    for (const reply of await Promise.all([...snippets, drafts, ...scheduled]))
      expect(reply).toMatchObject({ status: 200 });
  }

  const key = (await host.as(undefined, "POST", "/dev_fetch_api_key", { username: viola })).api_key;
  const authorization = `Basic ${Buffer.from(`${viola}:${key}`).toString("base64")}`;
  const followed = await fetch(`${host.url}/api/v1/register`, { method: "POST", headers: { authorization } });
  const state: any = await followed.json();

  expect([followed.status, followed.redirected]).toEqual([200, true]);
  expect(state).toMatchObject({ result: "success", last_event_id: -1 });
  const { queue_id, saved_snippets: shownSnippets } = state;
  // Each list is cut to what a reply of its own has room for.
  expect(shownSnippets.length).toBeGreaterThan(50);
  expect(await host.as(viola, "GET", "/events", { queue_id, last_event_id: -1, dont_block: true })).toMatchObject({
    result: "success",
  });
  for (const [accept, encoding] of [
    ["gzip", "gzip"],
    ["identity", undefined],
    [undefined, undefined],
  ] as const) {
    const { status, location = "" } = await host.raw(viola, "/register", accept, "POST");
    const stored = await fetch(location);
    expect([status, stored.status, stored.headers.get("content-encoding") ?? undefined]).toEqual([303, 200, encoding]);
    expect(((await stored.json()) as any).saved_snippets).toHaveLength(shownSnippets.length);
  }

  // The HTTP libraries of Zulip's own clients follow the redirect.
  const pythonResult = await runPython(join(import.meta.dirname, "register.py"), {
    email: viola,
    api_key: key,
    site: host.url,
  });
  expect(pythonResult).toEqual({ result: "success", msg: "", snippets: shownSnippets.length });
  const javaScriptClient = await zulip({ username: viola, apiKey: key, realm: host.url });
  const { result, saved_snippets } = (await javaScriptClient.queues.register({})) as any;
  expect([result, saved_snippets?.length]).toEqual(["success", shownSnippets.length]);
});

hostTest(
  "a poll returns as many of the waiting events as fit into a reply, also in a language of three bytes",
  async () => {
    const viola = "viola@globe.test";
    const { queue_id } = await host.do(viola, "POST", "/register", { event_types: ["message"], fetch_event_types: [] });
    const content = "語".repeat(10_000);
    const sentIds: number[] = [];
    for (let sent = 0; sent < 120; sent += 8) {
      const message = { type: "direct", to: [viola], content };
      const replies = await Promise.all(Array.from({ length: 8 }, () => host.do(owner, "POST", "/messages", message)));
      sentIds.push(...replies.map(({ id }) => id));
    }

    const receivedIds: number[] = [];
    const sizes: number[] = [];
    for (let last = -1; receivedIds.length < sentIds.length; ) {
      const path = `/events?queue_id=${queue_id}&last_event_id=${last}&dont_block=true`;
      const { status, body } = await host.raw(viola, path, "identity");
      expect(status).toBe(200);
      sizes.push(body.length);
      for (const event of JSON.parse(body.toString()).events) {
        last = event.id;
        receivedIds.push(event.message.id);
      }
    }

    expect(receivedIds).toEqual(sentIds.toSorted((a, b) => a - b));
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(3_100_000);
  },
);
