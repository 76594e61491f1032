import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { describedEvents } from "../../infra/reference/events.ts";
import { type JsonSchema, schemaOf } from "../../shared/base/schema/json-schema.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest } from "../support/browser/browser-test.ts";
import {
  aPage,
  closeBrowser,
  consoleErrors,
  openBrowser,
  password,
  signedIn,
  urlOf,
} from "../support/browser/client-pages.ts";
import { type Random, randomFrom } from "../support/random.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";
import { valueFor } from "./values.ts";

/**
 * The web client reads a snapshot and events in which each field has had values of other types and extremes: the page stays
 * usable, and the messages that these do not concern are shown.
 */

const topic = "storm";
let lear: Person;
let regan: Person;
let channel: Channel;
/** The messages of the topic, of which the generated events concern the first ones, and no event the others. */
let messageIds: number[] = [];
const contents = ["concerned 1", "concerned 2", "concerned 3", "unconcerned 1", "unconcerned 2"];

beforeAll(async () => {
  [lear, regan] = await Promise.all([aPerson("Lear"), aPerson("Regan", { role: "owner", password })]);
  channel = await aChannel("heath", [lear, regan]);
  messageIds = [];
  for (const content of contents)
    messageIds.push((await lear.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id);
  await openBrowser();
});
afterAll(closeBrowser);

const views = [
  ...[
    "inbox",
    "recent",
    "feed",
    "drafts",
    "scheduled",
    "channels",
    "groups",
    "narrow/is/mentioned",
    "narrow/is/starred",
  ],
  ...["profile", "notifications", "appearance", "account", "bots"].map((section) => `settings/${section}`),
  ...["settings", "permissions", "user-defaults", "people", "bots", "linkifiers", "emoji"].map(
    (section) => `organization/${section}`,
  ),
  ...["default-channels", "profile-fields", "folders", "exports", "statistics"].map(
    (section) => `organization/${section}`,
  ),
];

const topicAddress = () => `/#narrow/channel/${channel.id}/topic/${topic}`;
const row = (page: Page, text: string) => page.locator(".message", { hasText: text });

const extremes = [null, true, -1, 1e308, "x", "", [], {}, [null], [[]], { constructor: 1, length: 9 }] as const;

/**
 * What the page writes to the console on purpose; everything else is a defect. Chromium mentions inline handlers also in the
 * inert document that the sanitizer parses.
 */
const isReport = (text: string) =>
  /^(Cannot apply event|Cannot read an item|Cannot show|Executing inline event handler violates) /.test(text);
const defects = () => consoleErrors.filter((text) => !isReport(text));

/** Each value that differs from the given one in a single field, at most `depth` levels down. */
function* variants(value: unknown, depth: number): Generator<unknown> {
  if (typeof value !== "object" || value === null || depth === 0) return;
  for (const [name, part] of Object.entries(value)) {
    const withPart = (other: unknown) => (Array.isArray(value) ? [other] : { ...value, [name]: other });
    for (const extreme of extremes) yield withPart(extreme);
    for (const variant of variants(part, depth - 1)) yield withPart(variant);
    if (Array.isArray(value)) return;
  }
}

/** Replaces the IDs in an event by such that exist. */
function withKnownIds(value: unknown, random: Random, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withKnownIds(item, random, name.replace(/s$/, "")));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withKnownIds(part, random, key)]));
  if (typeof value !== "number") return value;
  if (/^(message|messages|message_id)$/.test(name)) return messageIds[Math.floor(random() * 3)];
  if (/^(stream_id|new_stream_id)$/.test(name)) return channel.id;
  return /^(user_id|sender_id|id)$/.test(name) ? lear.id : value;
}

browserTest(
  "events with a field of another type or with an extreme value stop nothing",
  async () => {
    const random = randomFrom(7);
    const events = describedEvents.flatMap(({ schema, type }) => {
      const jsonSchema = schemaOf({ schema, encoding: "json", required: true }) as JsonSchema;
      const valid = withKnownIds(valueFor(jsonSchema, random, 0), random) as Record<string, unknown>;
      return [valid, ...variants(valid, 3)].map((event) => ({ ...(event as object), type }));
    });
    expect(events.length).toBeGreaterThan(5000);

    const page = await aPage();
    const polls: Route[] = [];
    const polledAtMs: number[] = [];
    /** With what each poll is answered at once; without it, polls wait. */
    let constantAnswer: readonly unknown[] | undefined;
    const fulfill = (route: Route | undefined, events: readonly unknown[]) =>
      route?.fulfill({ json: { result: "success", msg: "", events } });
    // Without a WebSocket, the page polls.
    await page.routeWebSocket(/\/connections|execute-api/, (socket) => socket.close());
    await page.route(/\/api\/v1\/events\?/, async (route) => {
      polledAtMs.push(Date.now());
      if (constantAnswer) await fulfill(route, constantAnswer);
      else polls.push(route);
    });
    /** Answers the next poll. */
    const answer = async (batch: readonly object[]) => {
      await expect.poll(() => polls.length).toBe(1);
      await fulfill(polls.shift(), batch);
    };
    await signedIn(regan, {}, page);
    await page.goto(urlOf(topicAddress()));
    await row(page, "unconcerned 2").waitFor();
    consoleErrors.length = 0;

    const batchSize = 400;
    let lastId = 0;
    const numbered = (event: object) => ({ ...event, id: ++lastId });
    for (let start = 0; start < events.length; start += batchSize) {
      const batch = events.slice(start, start + batchSize).map(numbered);
      await answer(batch);
      await expect.poll(() => polls.length).toBe(1);
      expect(await page.locator(".message", { hasText: "unconcerned" }).count(), JSON.stringify(batch[0])).toBe(2);
      expect(defects()).toEqual([]);
    }
    // Events without an ID, or that are no objects at all, are neither applied nor asked for again and again.
    constantAnswer = [null, 5, { type: "message" }, { type: "__proto__" }, { id: "x", type: "toString" }];
    polledAtMs.length = 0;
    await fulfill(polls.shift(), constantAnswer);
    await expect.poll(() => polledAtMs.length).toBeGreaterThan(3);
    expect((polledAtMs[3] as number) - (polledAtMs[0] as number)).toBeGreaterThan(1000);
    constantAnswer = undefined;

    const { messages } = await regan.do("GET", "/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [["channel", channel.name]],
    });
    const event = {
      type: "message",
      message: { ...messages[0], id: messages[0].id + 1, content: "<p>a late one</p>" },
      flags: [],
    };
    await answer([numbered(event)]);
    await row(page, "a late one").waitFor();
    for (const view of views) {
      await page.goto(urlOf(`/#${view}`));
      await page.locator("main").getByRole("heading").first().waitFor();
    }
    expect(defects()).toEqual([]);
    expect(consoleErrors.filter((text) => text.startsWith("Cannot show"))).toEqual([]);
    consoleErrors.length = 0;
    await page.context().close();
  },
  300_000,
);

/** What the session needs, and no person writes. */
const needed = new Set(["queue_id", "last_event_id", "user_id", "result", "msg"]);

/** A copy in which some values, at all levels, are replaced. */
function damaged(value: unknown, random: Random, rate: number, isTop = true): unknown {
  if (!isTop && random() < rate) return extremes[Math.floor(random() * extremes.length)];
  if (Array.isArray(value)) return value.map((item) => damaged(item, random, rate, false));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      isTop && needed.has(name) ? part : damaged(part, random, rate, false),
    ]),
  );
}

browserTest(
  "a snapshot with fields of other types or with extreme values opens the page",
  async () => {
    const page = await aPage();
    let damage = (snapshot: Record<string, unknown>) => snapshot;
    await page.route(/\/api\/v1\/register$/, async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: damage(await reply.json()) });
    });
    await signedIn(regan, {}, page);
    const wholes = extremes.map(
      (extreme) => (snapshot: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(snapshot).map(([name, part]) => [name, needed.has(name) ? part : extreme])),
    );
    const parts = [0.02, 0.05, 0.1, 0.3].flatMap((rate, seed) =>
      [1, 2].map(
        (round) => (snapshot: Record<string, unknown>) =>
          damaged(snapshot, randomFrom(seed * 10 + round), rate) as Record<string, unknown>,
      ),
    );

    for (const [index, change] of [...wholes, ...parts].entries()) {
      damage = change;
      consoleErrors.length = 0;
      await page.goto("about:blank");
      await page.goto(urlOf(topicAddress()));
      await expect.poll(() => page.locator(".message").count(), { message: `damage ${index}` }).toBe(contents.length);
      for (const view of views) {
        await page.goto(urlOf(`/#${view}`));
        await page.locator("main").locator("h1, [role=alert]").first().waitFor();
      }
      expect([index, defects()]).toEqual([index, []]);
      // Settings of the organization itself, which only its administrators write, may make the part of the page fail that
      // changes them.
      const failures = consoleErrors.filter((text) =>
        /^Cannot show (?!the section (settings|permissions):)/.test(text),
      );
      expect([index, failures]).toEqual([index, []]);
    }
    consoleErrors.length = 0;
    await page.context().close();
  },
  300_000,
);
