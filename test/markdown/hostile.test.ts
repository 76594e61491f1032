import { expect, test } from "vitest";
import { RenderLimitError } from "../../shared/core/markdown/budget.ts";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { withCpuTime } from "../support/cpu-time.ts";
import { anyCharacter, fc } from "../support/random.ts";
import { testContext } from "./context.ts";
import { unsafeParts } from "./html.ts";

const linkifiers = async () => [
  { pattern: "(?P<a>(a+)+)", urlTemplate: "javascript:{a}" },
  { pattern: "(?P<b>(x|x|x)*y)", urlTemplate: '{+b}"><script>' },
  { pattern: "(?P<c>.+)", urlTemplate: "https://c.test/{c}" },
];
const uploads = async (paths: string[]) =>
  paths.map((path) => ({ path, contentType: "image/png", width: 1, height: 1 }));
const context = () => testContext({ linkifiers, uploads, translateEmoticons: true });

const pieces = fc.constantFrom(
  ..."* ** *** ~~ ` `` ``` ~~~ [ ] ( ) ]( > >> # ## - + 1. | : ; < /> = ' \" & \\ $$ $ ! @ _ { } \n \n\n \t".split(" "),
  ..." |  |    |\u0000|\u0002|\u0003|\u00020\u0003|\u0002h0\u0003|\u2028|\ud800|é|😄|1️⃣".split("|"),
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "javascript:alert(1)",
  "&#106;avascript:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>",
  "[a](",
  "[a](javascript:alert(1))",
  "[a](<javascript:alert(1)>)",
  '[a](/u "b")',
  "https://a.test/",
  "a@b.com",
  "@**Zoe**",
  "@*support*",
  "#**Denmark>t**",
  "#**Denmark>",
  ":smile:",
  ":green_tick:",
  "<time:",
  "<time:1>",
  "$$\\href{javascript:alert(1)}{x}$$",
  "$$<b>$$",
  "```js\n",
  "```quote\n",
  "```spoiler <b>\n",
  "```math\n",
  "a | b\n--|--\n",
  "/user_uploads/1/a.png",
  "&lt;b&gt;",
  "&copy;",
  "ax",
  "xy",
);

test("any sequence of Markdown pieces renders to our own well-formed markup with safe links only", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 25 }), async (parts) => {
      const { html } = await renderMarkdown(parts.join(""), context());

      expect(unsafeParts(html)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

test("any text renders to our own well-formed markup with safe links only", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 60 }), async (text) => {
      expect(unsafeParts((await renderMarkdown(text, context())).html)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** Text with more elements than a message may have is refused. */
function refusal(error: unknown): RenderLimitError {
  if (error instanceof RenderLimitError) return error;
  throw error;
}

const inlinePieces = [
  "[",
  "*",
  "**a",
  "> ",
  ">",
  "`",
  "`a``",
  "~~",
  "(",
  "[](",
  "[a](b",
  "_",
  "<",
  "&",
  ":",
  "a.",
  "a@",
  "$$",
  "- ",
  "+ ",
];
const blockPieces = [
  "```quote\n",
  "```quote\n~~~quote\n",
  "* a\n  * b\n",
  "1. a\n\n",
  "> a\n\n",
  "# #",
  "---\n",
  "a|b\n-|-\n",
  "    a\n",
];

test.each([...inlinePieces, ...blockPieces, "a", "x", "http://a/(", "@**", "#**a>", "<time:", "\\`", ":a", "```js\n"])(
  "ten thousand characters of %j are rendered safely, or refused, and quickly",
  async (piece) => {
    const text = piece.repeat(Math.ceil(10_000 / piece.length));

    const { result, cpuMs } = await withCpuTime(() => renderMarkdown(text, context()).catch(refusal));

    expect(result instanceof RenderLimitError ? [] : unsafeParts(result.html)).toEqual([]);
    // Usually takes a twentieth of this limit, which only detects exponential or cubic time.
    expect(cpuMs).toBeLessThan(2000);
  },
);
