import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { loadRenderInputs } from "../../shared/core/markdown/load-render-inputs.ts";
import { testContext } from "./context.ts";

const heavyInputs = [
  "/katex/",
  "/highlight.js/",
  "/re2js/",
  "/tlds/",
  "names.generated.json",
  "languages.generated.json",
];

describe("the modules that are loaded with the renderer", () => {
  let metafile: Metafile;

  beforeAll(async () => {
    const result = await build({
      entryPoints: ["shared/core/markdown/render.ts"],
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      mainFields: ["module", "main"],
      outdir: "out",
      write: false,
      metafile: true,
    });
    metafile = result.metafile;
  });

  test("include no heavy dependency", () => {
    const entry = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint?.endsWith("/render.ts"))!;
    // Follows the static imports of the entry point; the list grows during the loop.
    const files = [entry[0]];
    for (const file of files) {
      const statics = metafile.outputs[file]!.imports.filter(
        (importRecord) => importRecord.kind === "import-statement" && !importRecord.external,
      );
      for (const { path } of statics) if (!files.includes(path)) files.push(path);
    }
    const inputs = files.flatMap((file) => Object.keys(metafile.outputs[file]!.inputs));

    expect(inputs).toContain("shared/core/markdown/engine.ts");
    expect(inputs.filter((input) => heavyInputs.some((part) => input.includes(part)))).toEqual([]);
  });
});

describe("the inputs that a message's content needs", () => {
  test.each([
    ["Just words, a **bold** one, `code`: 3 < 4 (5 $)", []],
    ["a.b", ["topLevelDomains"]],
    [":smile:", ["emoji"]],
    ["😄", ["emoji"]],
    ["$$x$$", ["katex"]],
    ["> ```math\n> x", ["katex", "highlight", "languages"]],
    ["```\nx\n```", []],
    ["```js\nx\n```", ["highlight", "languages"]],
    [":)", []],
  ])("%j loads %j", async (text, parts) => {
    const inputs = await loadRenderInputs(text, testContext());

    const loaded = {
      emoji: inputs.emoji !== undefined,
      katex: inputs.katex !== undefined,
      highlight: inputs.highlight !== undefined,
      languages: inputs.languages !== undefined,
      topLevelDomains: inputs.topLevelDomains.size > 0,
    };
    expect(
      Object.entries(loaded)
        .flatMap(([part, isLoaded]) => (isLoaded ? [part] : []))
        .sort(),
    ).toEqual(parts.sort());
  });
});
