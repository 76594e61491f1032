import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultRateLimits, parseRateLimits } from "../../../shared/base/limits.ts";
import { roles } from "../../../shared/base/schema/roles.ts";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { burstFromChild, type Call } from "../../support/outside/bursts.ts";
import { QuietTimes } from "../../support/outside/quiet-times.ts";

/**
 * What a guest may do on one machine with its default limits: as many requests of a kind as are allowed in a minute, all at once, or
 * fewer where each takes long, in an organization with long messages. Nobody else's requests wait for it, and memory does not grow without end.
 */

const [guest, other] = ["caliban@globe.test", "owner@globe.test"];
const callCount = parseRateLimits(defaultRateLimits)?.calls ?? 0;
const maxResidentBytes = 1024 * 1024 * 1024;

let host: PrivateHost;
let quiet: QuietTimes;

/** Words that a search finds thousands of times in each message. */
const words = "a b c d e f the of and to in is it words never end ".repeat(200).slice(0, 9_900);

beforeAll(async () => {
  // The guest makes no more requests than the limits allow; the person who is measured would.
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off" });
  const account = { email: guest, full_name: "Caliban", password: "the isle is full of noises" };
  const { user_id } = await host.do(other, "POST", "/users", account);
  await host.do(other, "PATCH", `/users/${user_id}`, { role: roles.guest });
  await host.do(other, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "isle" }], principals: [user_id] });
  for (let count = 0; count < 200; count++)
    await host.do(other, "POST", "/messages", {
      ...{ type: "channel", to: "isle", topic: `topic ${count % 40}`, content: `${words} ${count}` },
    });
  quiet = await QuietTimes.measure(() => host.do(other, "GET", "/users/me"), 250);
});
afterAll(() => host?.stop());

const residentBytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) * 1024;

const times = (count: number, of: (n: number) => Call) => Array.from({ length: count }, (_, n) => of(n));
const get = (path: string, params: Call["params"] = {}): Call => ({ method: "GET", path, params });
const post = (path: string, params: Call["params"] = {}): Call => ({ method: "POST", path, params });
const whole = { anchor: "newest", num_before: 5000, num_after: 0 };
const pieces = [
  "*a ",
  "[",
  "> ",
  "|a",
  "`",
  "@**",
  "#**a>",
  ":smile: ",
  "http://a.b/(",
  "**a*",
  "~~",
  "<time:",
  "* a\n",
];
const costly = (n: number, length = 10_000) => {
  const piece = pieces[n % pieces.length] as string;
  return piece.repeat(length / piece.length);
};

const kinds: [string, () => Call[] | Promise<Call[]>][] = [
  ["render texts of every construct", () => times(callCount, (n) => post("/messages/render", { content: costly(n) }))],
  ["register", () => times(callCount, () => post("/register"))],
  [
    "search for common words",
    () =>
      times(callCount / 20, () =>
        get("/messages", { ...whole, narrow: [{ operator: "search", operand: "a b c d e f the of and" }] }),
      ),
  ],
  [
    "search for what is not there",
    () =>
      times(callCount / 4, (n) =>
        get("/messages", { ...whole, narrow: [{ operator: "search", operand: `"never begin ${n}"` }] }),
      ),
  ],
  ["read all messages", () => times(callCount, () => get("/messages", whole))],
  [
    "send long messages",
    () =>
      times(callCount, (n) =>
        post("/messages", { type: "channel", to: "isle", topic: `${n}`, content: costly(n, 9_000) }),
      ),
  ],
  ["upload files", () => times(callCount / 5, () => ({ ...post("/user_uploads"), fileBytes: 6_000_000 }))],
  [
    "poll",
    async () => {
      const queues = await Promise.all(
        times(50, () => post("/register", { fetch_event_types: [] })).map(({ params }) =>
          host.do(guest, "POST", "/register", params),
        ),
      );
      return times(callCount, (n) =>
        get("/events", { queue_id: queues[n % queues.length]?.queue_id, last_event_id: -1, dont_block: n % 4 > 0 }),
      );
    },
  ],
  [
    "store drafts and snippets",
    () =>
      times(callCount, (n) =>
        n % 2
          ? post("/saved_snippets", { title: `${n}`, content: words })
          : post("/drafts", {
              drafts: Array.from({ length: 40 }, () => ({ type: "", to: [], topic: "", content: words })),
            }),
      ),
  ],
  [
    "mark all messages",
    () =>
      times(callCount / 5, (n) =>
        post("/messages/flags", {
          ...{ messages: Array.from({ length: 5_000 }, (_, id) => id + 1), flag: "starred" },
          op: n % 2 ? "add" : "remove",
        }),
      ),
  ],
  ["export, and list everything", () => times(callCount, (n) => lists[n % lists.length] as Call)],
];

const lists: readonly Call[] = [
  post("/export/realm"),
  ...["users", "streams", "user_groups", "attachments", "drafts", "saved_snippets", "users/me/subscriptions"].map(
    (path) => get(`/${path}`),
  ),
];

test.each(kinds)("a guest who does nothing but %s holds up nobody, and fills no memory", async (_, makeCalls) => {
  const authorization = await host.credentialsOf(guest);
  const calls = await makeCalls();

  const statuses = await quiet.expectDuring(() =>
    burstFromChild({ kind: "calls", url: host.url, authorization, calls }),
  );

  expect(statuses).toHaveLength(calls.length);
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  expect(residentBytes()).toBeLessThan(maxResidentBytes);
});
