import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest } from "../support/browser/browser-test.ts";
import {
  closeBrowser,
  consoleErrors,
  openBrowser,
  password,
  signedIn,
  urlOf,
} from "../support/browser/client-pages.ts";
import { forAtMost } from "../support/property.ts";
import { fc, seed } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";
import { texts } from "./written-texts.ts";

/**
 * The web client shows each message of random Markdown, and the ones after it, whether they arrive while the conversation is
 * open or are fetched.
 *
 * `SKEIN_MARKDOWN_RUNS` is how many conversations are written, in at most `SKEIN_MARKDOWN_SECONDS`.
 */

const runs = Number(process.env.SKEIN_MARKDOWN_RUNS ?? 6);
const seconds = Number(process.env.SKEIN_MARKDOWN_SECONDS ?? 20);
let writer: Person;
let reader: Person;
let channel: Channel;

beforeAll(async () => {
  [writer, reader] = await Promise.all([aPerson("Edmund", { role: "owner" }), aPerson("Edgar", { password })]);
  channel = await aChannel("gloucester", [writer, reader]);
  await openBrowser();
}, 120_000);
afterAll(closeBrowser);

const words = fc.constantFrom(
  "a",
  "Lear",
  "x_y",
  "50%",
  "é",
  "مرحبا",
  "😄",
  "1️⃣",
  " ",
  "\u3164",
  "\u202e",
  "\u2028",
  "__proto__",
);
const delimiters = fc.constantFrom(
  ..."* ** *** _ ~~ ` `` ``` ~~~~ $$ [ ] ( ) ]( ![ > | : < /> = ' \" & \\ @ @** #** ! || {{ }}".split(" "),
);
const html = fc.constantFrom(
  "<b>",
  "</div></article>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<style>*{display:none}</style>",
  "<base href=//other.test>",
  "<plaintext>",
  "<!--",
  "<math><mtext></form><form>",
  "&lt;b&gt;&#0;&copy;",
);
const urls = fc.oneof(
  fc.constantFrom(
    "http://a.com:999999/",
    "http://a%b/",
    "https://[",
    "https://[::1]:x/",
    "http://%00/",
    "https://xn--/",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "mailto:@",
    "//other.test/p.png",
    "/user_uploads/1/missing.png",
    "/#narrow/channel/%/topic/%E0",
    "#narrow/channel/999999-x/topic/.ZZ/near/x",
    "https://www.youtube.com/watch?v=x",
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
);
const emoji = fc.constantFrom(":smile:", ":green_tick:", ":zulip:", ":constructor:", ":no_such:", ":)");
const numbers = fc.constantFrom("0", "-1", "1700000000", "999999999999999", "1e999", "NaN");
const times = fc
  .oneof(numbers, fc.constantFrom("2020-02-30T25:61", "0001-01-01T00:00:00Z", "x", "+275760-09-13T00:00:00Z"))
  .map((time) => `<time:${time}>`);
/** With the IDs and names that exist only once the test runs. */
const mentions = fc
  .tuple(fc.constantFrom("@", "@_", "#"), fc.integer({ min: 0, max: 9 }))
  .map(([sign, index]) => () => {
    const channelName = sign === "#" ? channel.name : "all";
    const named = [`${reader.name}|${reader.id}`, `|${reader.id}`, channelName, "topic", "constructor", "|999999999"];
    const linked = [`${channel.name}>a]b`, `${channel.name}>`, `${channel.name}>x@1`, `${channel.name}>t@99999999999`];
    return `${sign}**${[...named, ...linked][index]}**`;
  });
const formulas = fc
  .constantFrom("x^2", "\\frac{1}{", "\\href{javascript:alert(1)}{x}", "<b>", "\\rule{9em}{9em}", "\\def\\a{\\a\\a}\\a")
  .map((formula) => `$$${formula}$$`);
const texted = fc.constantFrom(...Object.values(texts)).map((text) => text(60));

type Piece = string | (() => string);
const written = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece())).join("");

const inline: fc.Arbitrary<Piece> = fc.oneof(words, delimiters, html, urls, emoji, times, mentions, formulas, texted);
const line: fc.Arbitrary<() => string> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: inline },
      fc.tuple(inline, urls).map(
        ([text, url]) =>
          () =>
            `[${written([text])}](${url})`,
      ),
      fc.tuple(fc.constantFrom("**", "*", "~~", "`", "***"), inline).map(([mark, text]) => () => {
        const content = written([text]);
        return `${mark}${content}${mark}`;
      }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => () => written(pieces).replaceAll("\n", " "));

/** Blocks, of which some hold others. */
const { block } = fc.letrec<{ block: () => string }>((tie) => {
  const inner = fc.array(fc.oneof({ depthSize: "small" }, line, tie("block")), { minLength: 1, maxLength: 3 });
  const innerLines = (blocks: readonly (() => string)[]) => blocks.map((write) => write()).join("\n");
  const eachLine = (text: string, start: string) => text.replace(/^/gm, start);
  return {
    block: fc.oneof(
      { depthSize: "small" },
      line,
      line.map((text) => () => `${"#".repeat((text().length % 7) + 1)} ${text()}`),
      fc.tuple(line, fc.integer({ min: 0, max: 5 })).map(
        ([text, columns]) =>
          () =>
            `|${`${text()}|`.repeat(columns)}\n|${"-|".repeat(columns)}\n|${text()}|`,
      ),
      fc
        .tuple(fc.constantFrom("js", "math", "quote", "spoiler", "no-such", "{", "constructor"), line, inner)
        .map(([kind, head, blocks]) => () => {
          const content = innerLines(blocks);
          const fence = "`".repeat(
            3 + Math.max(0, ...(content.match(/`{3,}/g) ?? []).map((ticks) => ticks.length - 2)),
          );
          return `${fence}${kind}${kind === "spoiler" ? ` ${head()}` : ""}\n${content}\n${fence}`;
        }),
      inner.map((blocks) => () => eachLine(innerLines(blocks), "> ")),
      fc.tuple(fc.constantFrom("* ", "1. ", "- ", "999999999. "), inner).map(
        ([mark, blocks]) =>
          () =>
            `${mark}${eachLine(innerLines(blocks), "  ").trimStart()}`,
      ),
      fc.tuple(fc.constantFrom("/me ", "/poll ", "/todo "), line).map(
        ([command, text]) =>
          () =>
            command + text(),
      ),
      fc.constantFrom("---", "```", "~~~quote", "```spoiler", "\n\n", "    indented").map((text) => () => text),
    ),
  };
});
const contents = fc
  .array(block, { minLength: 1, maxLength: 4 })
  .map((blocks) => () => blocks.map((write) => write()).join("\n"));
const conversations = fc.array(contents, { minLength: 24, maxLength: 24 });

/** Sends the contents, but those that the server refuses, in any order; resolves with the messages. */
async function sendAll(topic: string, written: readonly string[]) {
  const sent = await Promise.all(
    written.map(async (content) => {
      const { status, body } = await writer.call("POST", "/messages", {
        type: "channel",
        to: channel.id,
        topic,
        content,
      });
      expect([content, status < 500]).toEqual([content, true]);
      return status === 200 ? [{ id: body.id as number, content }] : [];
    }),
  );
  return sent.flat();
}

/** The IDs of the messages that the page shows, and of those that it shows only as text. */
const shown = (page: Page) =>
  page.locator(".message").evaluateAll((messages) => {
    const idOf = (message: Element) => Number((message as HTMLElement).dataset.messageId);
    return {
      ids: messages.map(idOf).sort((a, b) => a - b),
      asText: messages.filter((message) => message.querySelector(".plain-text")).map(idOf),
    };
  });

/** Chromium mentions inline handlers also in the inert document that the sanitizer parses, and each file that is missing. */
const defects = () =>
  consoleErrors.filter((text) => !/^(Executing inline event handler violates|Failed to load resource:) /.test(text));

browserTest(
  `each message of random Markdown is shown, and the one after it (seed ${seed})`,
  async () => {
    // The list holds the rows near the visible ones: in a window of this height, all.
    const page = await signedIn(reader, { viewport: { width: 1280, height: 16_000 } });
    await page.goto(urlOf("/#inbox"));
    const body = async (conversation: readonly (() => string)[]) => {
      const topic = unique("random");
      const all = conversation.map((write) => write());
      const view = urlOf(`/#narrow/channel/${channel.id}/topic/${topic}`);
      const messages = await sendAll(topic, all.slice(0, 12));
      const last = async (content: string) => messages.push(...(await sendAll(topic, [content])));
      const allShown = async (what: string) => {
        const expected = { ids: messages.map(({ id }) => id).sort((a, b) => a - b), asText: [] };
        await expect.poll(() => shown(page), { message: `${what} (seed ${seed})`, timeout: 30_000 }).toEqual(expected);
        expect([messages, defects()]).toEqual([messages, []]);
      };
      await last("the last one that is fetched");
      consoleErrors.length = 0;
      await page.goto(view);
      await allShown("fetched");
      messages.push(...(await sendAll(topic, all.slice(12))));
      await last("the last one that arrives");
      await allShown("while the conversation is open");
      expect(messages.length).toBeGreaterThan(all.length * 0.7);
    };

    const property = fc.asyncProperty(conversations, forAtMost(seconds * 1000, body));
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });

    consoleErrors.length = 0;
    await page.context().close();
  },
  300_000,
);
