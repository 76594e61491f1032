import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../shared/limits.ts";
import { RenderLimitError } from "../../shared/markdown/budget.ts";
import { renderMarkdown } from "../../shared/markdown/render.ts";
import { testContext } from "../markdown/context.ts";
import { unsafeParts } from "../markdown/html.ts";
import { withCpuTime } from "../support/cpu-time.ts";
import { fc, seed } from "../support/random.ts";

/**
 * No text of a message takes long to render or becomes larger than a message may be: texts of a grammar of all constructs,
 * repeated, nested and next to each other.
 *
 * `SKEIN_RENDERING_RUNS` is how many texts of each shape are rendered.
 */

const runs = Number(process.env.SKEIN_RENDERING_RUNS ?? 120);

const inlines = [
  ..."* ** *** ~~ ` `` $$ _ [ ] ( ) ]( ![ @** #** < > & | || : ! ' \" = ^ { \\ \\` *a `a` ~~a~~ **a** [a](b) [a](x:".split(
    " ",
  ),
  ..."[a](< <time: <time:1> @**Zoe** @*support* @_**Zoe|7** #**Denmark** #**Denmark>t** #**Denmark>t@1** #**Denmark>".split(
    " ",
  ),
  ..."😄 1️⃣ 👩‍👩‍👧 🏴\u{e0067}\u{e0062} :smile: :green_tick: :) &amp; a.a a.com, a@b.com, http://a/( http://a/, @1@1".split(
    " ",
  ),
  ..."https://a.test/|bitcoin:1|#123 |/user_uploads/1/a.png |[](/user_uploads/1/b.png)| |\t|*a **b|\u2028|é".split("|"),
  ..."$$x$$ |$$\\frac{1}{2}$$ |\\sqrt{|x^{|-|--|a".split("|"),
];
const blocks = [
  ..."\n|\n\n|> |> a\n\n|> > |* a\n|* a\n  * b\n|* a\n\n|1. a\n|1. a\n\n|  * b\n|    a\n|    \n|# a\n|#\n|---\n|* |- |+ a\n|\ta\n".split(
    "|",
  ),
  ...["a|b\n-|-\n", "|a|b|\n", "|\n", "||\n", "|-|\n", "---\na|b\n", "# a|\n"],
  ...["```\n", "```js\n", "```quote\n", "~~~quote\n", "```spoiler a\n", "```math\nx\n```\n", "```js\nlet a=1;\n```\n"],
  ...["```quote\na\n```\n", "> ```quote\n", "/poll a\n"],
];
const inline = fc.constantFrom(...inlines);
const piece = fc.constantFrom(...inlines, ...blocks);
const lineStart = fc.constantFrom("> ", "* ", "  ", "1. ", "# ", "    ", "|", "> > > > ", "- > ");

/** Writes a text of some characters; its first parameter is how many. */
type Shape = (length: number) => string;
const filled = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const nestedFences = (kinds: readonly string[]) =>
  Array.from(
    { length: 29 },
    (_, depth) => `${(depth % 2 ? "`" : "~").repeat(3 + depth)}${kinds[depth % kinds.length]}\n`,
  ).join("");

const shapes: Record<string, fc.Arbitrary<Shape>> = {
  "one piece, repeated": piece.map((one) => (length) => filled(one, length)),
  "several pieces, repeated": fc
    .array(piece, { minLength: 2, maxLength: 4 })
    .map((some) => (length) => filled(some.join(""), length)),
  "many of one piece and then many of another": fc.tuple(piece, piece).map(
    ([first, second]) =>
      (length) =>
        filled(first, length / 2) + filled(second, length / 2),
  ),
  "a piece on each line": fc.tuple(lineStart, fc.array(inline, { minLength: 1, maxLength: 3 })).map(
    ([start, some]) =>
      (length) =>
        filled(`${start}${some.join("")}\n`, length),
  ),
  "lines of a width": fc.tuple(lineStart, inline, fc.integer({ min: 2, max: 400 })).map(
    ([start, one, width]) =>
      (length) =>
        filled(`${start}${filled(one, width).replaceAll("\n", " ")}\n`, length),
  ),
  "pieces within nested fences": fc.tuple(fc.shuffledSubarray(["quote", "spoiler x"], { minLength: 1 }), piece).map(
    ([kinds, one]) =>
      (length) =>
        nestedFences(kinds) + filled(one, Math.max(0, length - nestedFences(kinds).length)),
  ),
  "pieces within nested quotes": fc.tuple(piece, fc.integer({ min: 1, max: 60 })).map(
    ([one, depth]) =>
      (length) =>
        "> ".repeat(depth) + filled(one, length - 2 * depth),
  ),
  "pieces within emphasis": fc
    .tuple(fc.constantFrom("**", "*", "~~", "[", "`"), fc.array(piece, { minLength: 1, maxLength: 2 }))
    .map(
      ([mark, some]) =>
        (length) =>
          `${mark}${filled(some.join(""), length - 2 * mark.length)}${mark}`,
    ),
  "code of a language": fc
    .tuple(fc.constantFrom(..."js python c cpp css html json bash sql ruby php perl yaml diff".split(" ")), inline)
    .map(
      ([language, one]) =>
        (length) =>
          `\`\`\`${language}\n${filled(`${filled(one, 60)}\n`, length - 20)}\n\`\`\``,
    ),
  formulas: fc
    .array(fc.constantFrom(..."x \\frac{1}{ x^ { } \\sqrt{ & \\\\ \\left( _ \\begin{matrix} \\R #1 \\a".split(" ")), {
      minLength: 1,
      maxLength: 3,
    })
    .map(
      (some) => (length) =>
        `\`\`\`math\n\\def\\a{${filled(some.join(""), length / 4)}}\n${filled(some.join(""), length / 2)}\n\`\`\``,
    ),
};

const uploads = async (paths: string[]) =>
  paths.map((path) => ({ path, contentType: "image/png", width: 1, height: 1 }));
const linkifiers = async () => [{ pattern: "#(?P<id>[0-9]{2,8})", urlTemplate: "https://trac.test/{id}" }];
const context = () => testContext({ uploads, linkifiers, translateEmoticons: true });

/** The HTML of a text, or undefined if it is refused. */
async function render(text: string): Promise<string | undefined> {
  try {
    return (await renderMarkdown(text, context())).html;
  } catch (error) {
    if (error instanceof RenderLimitError) return undefined;
    throw error;
  }
}

/** The processor time of rendering, the least of some attempts, since other threads of this process may be at work. */
async function cpuMsOf(text: string, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > enoughMs; attempt += 1)
    least = Math.min(least, (await withCpuTime(() => render(text))).cpuMs);
  return least;
}

const elementsIn = (html: string) => html.match(/<[a-z]/g)?.length ?? 0;
const maxMs = 150;

beforeAll(async () => {
  console.warn = () => {};
  // Loads what texts of all kinds need.
  await render("a.com 😄 #1 $$x$$\n\n```js\n1\n```");
});

describe.each(Object.entries(shapes))("%s", (_, shape) => {
  test(`takes a tenth of a second and linear time at most (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(shape, async (write) => {
        const [short, long] = [write(3333), write(limits.messageLength)];
        const longMs = await cpuMsOf(long, 50);
        expect([long.slice(0, 200), longMs < maxMs, longMs]).toEqual([long.slice(0, 200), true, longMs]);
        // What takes less is mostly the same for all texts. Quadratic time would be nine times as long.
        if (longMs > 50) {
          const shortMs = await cpuMsOf(short, longMs / 7);
          expect([long.slice(0, 200), longMs <= 7 * shortMs, longMs, shortMs]).toEqual([
            long.slice(0, 200),
            true,
            longMs,
            shortMs,
          ]);
        }
        const html = await render(long);
        if (html === undefined) return;
        expect(unsafeParts(html)).toEqual([]);
        expect(elementsIn(html)).toBeLessThanOrEqual(limits.renderedElements);
        expect(Buffer.byteLength(html)).toBeLessThanOrEqual(limits.renderedBytes);
      }),
      { seed, numRuns: runs, endOnFailure: true },
    );
  });
});

test.each([
  ["a table whose rows are padded", `${"|".repeat(2500)}\n${"|".repeat(2500)}\n${"|\n".repeat(2490)}`],
  ["a table of one wide row", `${"|".repeat(4999)}\n${"|".repeat(4999)}`],
  ["ten thousand emoji", "😄".repeat(10_000)],
  ["emoji by name", ":ok:".repeat(2500)],
  ["line breaks", "\n1".repeat(4990) + "*a*".repeat(1300)],
  ["links", "[](/)".repeat(2000) + "a\n".repeat(4500)],
])("%s is refused within milliseconds when it exceeds the limits", async (_, text) => {
  expect(await render(text)).toBeUndefined();
  expect(await cpuMsOf(text, 50)).toBeLessThan(maxMs);
});

test.each([
  ["a macro that is long", `\\def\\a{${"x".repeat(1200)}}${"\\a".repeat(190)}`],
  ["a macro that repeats its argument", `\\newcommand\\a[1]{${"#1".repeat(300)}}\\a{${"x".repeat(1500)}}`],
  ["macros that double their argument", "\\def\\b#1{\\c{#1#1}}\\def\\c#1{\\b{#1#1}}\\b{x}"],
])("a formula with %s is shown as its source", async (_, formula) => {
  const text = `$$${formula}$$`;

  expect(await render(text)).toContain("tex-error");
  expect(await cpuMsOf(text, 50)).toBeLessThan(maxMs);
});

test.each([
  [
    "a table of 50 rows and 20 columns",
    `|${"header|".repeat(20)}\n|${"-|".repeat(20)}\n${`|${"cell|".repeat(20)}\n`.repeat(50)}`,
  ],
  ["a list of a thousand items", "* item with **text**\n".repeat(450)],
  ["a thousand lines", "a line\n".repeat(1400)],
  ["a thousand emoji", "😄".repeat(1000)],
  ["code of ten thousand characters", `\`\`\`python\n${"def f(a, b): return a + b  # sum\n".repeat(300)}\`\`\``],
  ["forty formulas", "$$x = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}$$ ".repeat(40)],
  ["a formula with a macro", "$$\\newcommand{\\norm}[1]{\\lVert #1 \\rVert} \\norm{x} + \\norm{y}$$"],
])("%s is rendered", async (_, text) => {
  const html = await render(text);

  expect(html).toBeDefined();
  expect(html?.includes("tex-error")).toBe(false);
});
