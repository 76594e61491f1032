import { describe, expect, test } from "vitest";
import { escapeHtml } from "../../shared/base/html.ts";
import { limits } from "../../shared/base/limits.ts";
import { nameKey } from "../../shared/base/name-key.ts";
import { decodeBody } from "../../shared/features/integrations/body.ts";
import { service as slackIncoming } from "../../shared/features/integrations/webhooks/slack_incoming/service.ts";
import { checkAddressesIn } from "../../shared/features/invites/addresses.ts";
import { hasAlertWord } from "../../shared/messaging/messages/flags/alert-words.ts";
import { highlightMatches } from "../../shared/messaging/messages/search/highlight.ts";
import { indexTerms } from "../../shared/messaging/messages/search/index-terms.ts";
import { matchesSearch } from "../../shared/messaging/messages/search/match.ts";
import { parseSearch } from "../../shared/messaging/messages/search/query.ts";
import { interpretResponse } from "../../shared/messaging/outgoing-webhooks/answer.ts";
import { withCpuTime } from "../support/cpu-time.ts";

/**
 * What is done with texts besides rendering takes time in proportion to their length. Each kind of text is repeated to the length that
 * a request may have, and ends with something else, at which a search that goes back would begin.
 */

const pieces = [
  ...'a 0 < > [ ( * | ` \\ & @ : % / . , - " { = ; ~ # + _ ? A İ ß ﷺ é 😄 a@a.a, <a> &amp; **a** {{a}} ```'.split(" "),
  ...[
    " ",
    "\n",
    "\t",
    "a ",
    "a\n",
    "> ",
    "\u200b",
    "\u3164",
    "\u0301\u0316",
    "a\u0316\u0301",
    "\u{1e8d0}\u0316",
    "क\u093c\u094d",
  ],
];
const long = (piece: string, length: number) => `${piece.repeat(Math.ceil(length / piece.length))}!`;

const searchFor = (query: string) => parseSearch(query, { language: "en", completes: true });
const htmlOf = (text: string) => `<p>${escapeHtml(text, false)}</p>`;

/** By what reads a text: the longest that it may get, and the work. */
const readers: Record<string, [length: number, (text: string) => unknown]> = {
  "comparing with a search": [
    limits.messageLength,
    (text) => matchesSearch({ content: text, html: htmlOf(text), topic: "t" }, searchFor("word")),
  ],
  "looking for alert words": [
    limits.messageLength,
    (text) =>
      hasAlertWord(
        { html: htmlOf(text) },
        Array.from({ length: 500 }, (_, n) => `${text.slice(0, 90)}${n}`),
      ),
  ],
  "marking what a search found": [
    limits.messageLength,
    (text) => highlightMatches({ html: htmlOf(text) }, "t", searchFor(`${text.slice(0, 900)} "${text.slice(0, 90)}"`)),
  ],
  "parsing a search": [1000, (text) => matchesSearch({ content: "a", html: "a", topic: "a" }, searchFor(text))],
  "listing words for the index": [limits.messageLength, (text) => indexTerms({ html: htmlOf(text), topic: "t" })],
  "comparing a name": [1_000_000, nameKey],
  "reading invited addresses": [300_000, (text) => checkAddressesIn(`b${text}`)],
  "reading the answer to an outgoing webhook": [
    256 * 1024,
    (text) => interpretResponse({ status: 200, body: text }, 1),
  ],
  "a text for Slack's incoming webhooks": [20_000, (text) => slackPost({ text })],
};

const slackPost = (payload: object) => slackIncoming.toPost(slackIncoming.payload.parse(payload), {} as never);

const cpuMsOf = async (work: () => unknown) => {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && least > 20; attempt++) least = Math.min(least, (await withCpuTime(work)).cpuMs);
  return least;
};

describe.each(Object.entries(readers))("%s", (_, [length, read]) => {
  test("takes little time for whatever is repeated", async () => {
    // Loads and compiles what all texts need.
    for (const piece of pieces) read(long(piece, 100));
    for (const piece of pieces) {
      const ms = await cpuMsOf(() => read(long(piece, length)));
      // Quadratic time would be seconds. One character may stand for eighteen, which are searched.
      expect([piece, ms < 120 + length / 5000, ms]).toEqual([piece, true, ms]);
    }
  });
});

describe("a payload of a service", () => {
  const bodyOf = (payload: object) => ({ headers: {}, body: Buffer.from(JSON.stringify(payload)) });
  const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

  test.each<[string, object]>([
    ["tables", { blocks: many(300, { type: "table", rows: [many(500, {}), ...many(499, [])] }) }],
    ["texts", { blocks: many(500, { type: "rich_text", elements: many(500, {}) }) }],
    ["fields", { attachments: many(500, { fields: many(500, {}) }) }],
    ["tables in attachments", { attachments: many(500, { blocks: many(10, { rows: many(30, many(3, {})) }) }) }],
  ])("of more values than services send is refused: %s", async (_, payload) => {
    expect(() => decodeBody(bodyOf(payload))).toThrow("it has more than 50000 values");
  });

  test("with wide tables becomes a text that is hardly longer than a message", async () => {
    const table = { type: "table", rows: [many(500, {}), ...many(499, [])] };

    expect(slackPost({ blocks: many(3, table) })?.content.length).toBeLessThan(10 * limits.messageLength);
    // What fits into a message is written.
    const small = { type: "table", rows: many(100, many(20, { text: "a" })) };
    expect(slackPost({ blocks: [small] })?.content.split("\n")).toHaveLength(101);
  });
});
