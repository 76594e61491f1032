import { expect, test } from "vitest";
import { unusedExports } from "../../infra/structure/exports.ts";

test("an export that no other file names is reported, of a value and of a type", () => {
  const fixture = new Map([
    [
      "shared/a.ts",
      "export const used = 1;\nexport interface Unused {}\nconst own = 2;\nexport async function alone() {}",
    ],
    [
      "shared/b.ts",
      'import { used } from "./a.ts";\nexport type { Other } from "./c.ts";\n// Nothing is `unused` here.',
    ],
    ["shared/c.ts", "export type Other = Parameters<typeof own>;\nconst own = (alone_: number) => alone_;"],
  ]);

  expect(unusedExports(fixture, ["shared"])).toEqual([
    "shared/a.ts exports Unused, which no other file uses",
    "shared/a.ts exports alone, which no other file uses",
  ]);
});
