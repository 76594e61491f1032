import { expect, test } from "vitest";
import { danglingIn } from "../../infra/structure/references.ts";

test("a reference to an external document is found, in comments and documents", () => {
  const source = [
    "/** As the service has it (companion reference, B 4.20). */",
    "const ratio = 4.2; // Chosen in decision 16.",
    '// See docs/nowhere.md, "Live".',
    'const text = "decision 16 (4.2)";',
    "// The cost is in docs/cost.md.",
  ].join("\n");

  expect(danglingIn("shared/fixture.ts", source)).toEqual([
    'shared/fixture.ts:1: "companion reference" leads nowhere',
    'shared/fixture.ts:1: "B 4.20" leads nowhere',
    'shared/fixture.ts:2: "decision 16" leads nowhere',
    'shared/fixture.ts:3: "docs/nowhere.md" leads nowhere',
  ]);
});

test("a link to a missing file or heading is found", () => {
  const page = "[a](cost.md) [b](gone.md) [c](glossary.md#glossary) [d](glossary.md#gone) [e](https://zulip.com/api/)";

  expect(danglingIn("docs/fixture.md", page)).toEqual([
    'docs/fixture.md:1: "gone.md" leads nowhere',
    'docs/fixture.md:1: "glossary.md#gone" leads nowhere',
  ]);
});
