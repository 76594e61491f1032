import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { RenderBudget } from "../../shared/core/markdown/budget.ts";
import { unsafeParts } from "../markdown/html.ts";
import { withCpuTime } from "../support/cpu-time.ts";
import { fc, seed } from "../support/random.ts";
import { render, shapes } from "./message-shapes.ts";

/**
 * No text of a message takes long to render or becomes larger than a message may be: texts of a grammar of all constructs,
 * repeated, nested and next to each other.
 *
 * `SKEIN_RENDERING_RUNS` is how many texts of each shape are rendered.
 */

const runs = Number(process.env.SKEIN_RENDERING_RUNS ?? 120);

/** The processor time of rendering, the least of some attempts, since other threads of this process may be at work. */
async function cpuMsOf(text: string, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > enoughMs; attempt += 1)
    least = Math.min(least, (await withCpuTime(() => render(text))).cpuMs);
  return least;
}

/** What is counted while a text is rendered, and what comes of it: nothing if it is refused. */
async function workOf(text: string): Promise<{ characters: number; elements: number | undefined }> {
  const { takeCharacters } = RenderBudget.prototype;
  let characters = 0;
  RenderBudget.prototype.takeCharacters = function (count) {
    characters += count;
    takeCharacters.call(this, count);
  };
  try {
    const html = await render(text);
    return { characters, elements: html === undefined ? undefined : elementsIn(html) };
  } finally {
    RenderBudget.prototype.takeCharacters = takeCharacters;
  }
}

/**
 * What is linear, however little a shorter text has: twenty rules read each character once in each of some nested blocks, and
 * make an element of it.
 */
const maxReadsPerCharacter = 150;
const lengths = [1000, 3000, limits.messageLength];

async function expectLinearWork(write: (length: number) => string): Promise<void> {
  let before: { length: number; characters: number; elements: number | undefined } | undefined;
  for (const length of lengths) {
    const text = write(length);
    const work = await workOf(text);
    if (before) {
      const growth = (4 * length) / (3 * before.length);
      const characters = growth * Math.max(before.characters, maxReadsPerCharacter * before.length);
      const elements = growth * Math.max(before.elements ?? 0, before.length);
      const isLinear = work.characters <= characters && (work.elements ?? 0) <= elements;
      expect([text.slice(0, 200), isLinear, work, before]).toEqual([text.slice(0, 200), true, work, before]);
    }
    before = { length, ...work };
  }
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
        await expectLinearWork(write);
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

test("no text takes 60 MB of memory", async () => {
  const startWorker = async (maxOldGenerationSizeMb?: number) => {
    const worker = new Worker(new URL("./render-worker.ts", import.meta.url), {
      resourceLimits: maxOldGenerationSizeMb === undefined ? {} : { maxOldGenerationSizeMb },
    });
    onTestFinished(async () => void (await worker.terminate()));
    const [bytes] = (await once(worker, "message")) as [number];
    return { worker, bytes };
  };
  const { worker: first, bytes } = await startWorker();
  await first.terminate();

  // Fails with ERR_WORKER_OUT_OF_MEMORY when more is in use at a time, garbage aside.
  const { worker } = await startWorker(Math.ceil(bytes / 2 ** 20) + 60);
  worker.postMessage({ runs: Math.ceil(runs / 6), seed, length: limits.messageLength });
  const [count] = (await once(worker, "message")) as [number];

  expect(count).toBeGreaterThan(0);
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
