import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { testContext } from "./context.ts";

interface Case {
  name: string;
  input: string;
  expected_output: string;
}

const folder = process.env.SKEIN_FIXTURES ?? join(import.meta.dirname, "../../../shared/fixtures");
const file = join(folder, "markdown-cases.json");

// Cases that do not pass, each with its reason.
const exceptions: Record<string, string> = {};

/** Removes highlighting, and all of a formula but its source, because the cases contain neither. */
function withoutDecoration(html: string): string {
  return withoutTypesetting(html).replace(/<code>[\s\S]*?<\/code>/g, (code) =>
    code.replace(/<span class="[a-z0-9]+">|<\/span>/g, ""),
  );
}

function withoutTypesetting(html: string): string {
  const opening = '<span class="katex">';
  const start = html.indexOf(opening);
  if (start === -1) return html;
  let depth = 0;
  let end = start;
  for (const tag of html.slice(start).matchAll(/<(\/?)span\b[^>]*>/g)) {
    depth += tag[1] ? -1 : 1;
    end = start + tag.index + tag[0].length;
    if (depth === 0) break;
  }
  const annotation = /<annotation [^>]*>[\s\S]*?<\/annotation>/.exec(html.slice(start, end))?.[0];
  return `${html.slice(0, start)}${opening}${annotation}</span>${withoutTypesetting(html.slice(end))}`;
}

describe.skipIf(!existsSync(file))("Zulip's Markdown cases", () => {
  if (!existsSync(file)) {
    console.log(`Skipped: ${file} is not there (set SKEIN_FIXTURES to the folder that has it)`);
    return;
  }
  const cases: Case[] = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, input, expected_output } of cases) {
    test.skipIf(name in exceptions)(name, async () => {
      const linkifiers = [{ pattern: "#(?P<id>[0-9]{2,8})", urlTemplate: "https://trac.example.com/ticket/{id}" }];
      const context = testContext({
        realmUrl: "http://zulip.testserver",
        linkifiers: async () => linkifiers,
        translateEmoticons: name.startsWith("translate_emoticons") && !name.endsWith("not_enabled"),
      });

      const { html } = await renderMarkdown(input, context);

      expect(withoutDecoration(html)).toBe(expected_output);
    });
  }
});
