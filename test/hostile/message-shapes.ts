import { limits } from "../../shared/base/limits.ts";
import { RenderLimitError } from "../../shared/core/markdown/budget.ts";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { testContext } from "../markdown/context.ts";
import { fc } from "../support/random.ts";

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
export type Shape = (length: number) => string;
const filled = (text: string, length: number) =>
  text.repeat(Math.ceil(Math.max(0, length) / text.length)).slice(0, Math.max(0, length));
const nestedFences = (kinds: readonly string[]) =>
  Array.from(
    { length: 12 },
    (_, depth) => `${(depth % 2 ? "`" : "~").repeat(3 + depth)}${kinds[depth % kinds.length]}\n`,
  ).join("");

/** Texts of all constructs: repeated, nested and next to each other. */
export const shapes: Record<string, fc.Arbitrary<Shape>> = {
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
        nestedFences(kinds) + filled(one, Math.min(length, limits.messageLength - nestedFences(kinds).length)),
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
export async function render(text: string): Promise<string | undefined> {
  try {
    return (await renderMarkdown(text, context())).html;
  } catch (error) {
    if (error instanceof RenderLimitError) return undefined;
    throw error;
  }
}
