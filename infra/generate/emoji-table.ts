/**
 * Writes shared/core/emoji/names.generated.json and its version: `node run.mjs infra/generate/emoji-table.ts`. Codes and names
 * come from the package emoji-datasource-google; infra/generate/emoji-names.json overrides the names with those that
 * Zulip's clients know, the canonical one first.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

interface DatasourceEmoji {
  unified: string;
  short_names: string[];
  category: string;
  sort_order: number;
}

/** Read at each call: a host that has built the web client need not keep it. */
const datasource = (): readonly DatasourceEmoji[] =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve("emoji-datasource-google/emoji.json"), "utf8"));

const codeOf = ({ unified }: DatasourceEmoji) => unified.toLowerCase().replaceAll("-fe0f", "");

/** The package's emoji that Zulip lacks: skin tones, and clock faces that are not in emoji-names.json. */
const excludedNames = /^(?:skin-tone-|clock)\d/;

/** Each code with its names, separated by spaces, the canonical one first; sorted by code. */
export function emojiTable(): Record<string, string> {
  const names: Record<string, string> = JSON.parse(readFileSync(new URL("emoji-names.json", import.meta.url), "utf8"));
  const usedNames = new Set(Object.values(names).flatMap((joined) => joined.split(" ")));
  const entries = datasource().flatMap((emoji): [string, string][] => {
    const { short_names } = emoji;
    const code = codeOf(emoji);
    if (names[code] !== undefined) return [[code, names[code]]];
    if (excludedNames.test(short_names[0] ?? "")) return [];
    const freeNames = short_names.map((name) => name.replaceAll("-", "_")).filter((name) => !usedNames.has(name));
    return [[code, freeNames.join(" ")]];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The codes of each category of Unicode, separated by spaces, in the order in which keyboards show them. */
export function emojiCategories(): Record<string, string> {
  const ordered = datasource().toSorted((a, b) => a.sort_order - b.sort_order);
  const byCategory = Map.groupBy(ordered, ({ category }) => category);
  return Object.fromEntries([...byCategory].map(([category, emoji]) => [category, emoji.map(codeOf).join(" ")]));
}

/** A hash of the table, from which clients that cache the table detect changes. */
export const versionOfTable = (table: Record<string, string>) =>
  createHash("sha256").update(JSON.stringify(table)).digest("hex").slice(0, 16);

if (import.meta.main) {
  const table = emojiTable();
  const lines = Object.entries(table).map((entry) => entry.map((part) => JSON.stringify(part)).join(": "));
  writeFileSync(
    new URL("../../shared/core/emoji/names.generated.json", import.meta.url),
    `{\n${lines.join(",\n")}\n}\n`,
  );
  const version = `/** Written by infra/generate/emoji-table.ts. */\nexport const emojiTableVersion = "${versionOfTable(table)}";\n`;
  writeFileSync(new URL("../../shared/core/emoji/version.generated.ts", import.meta.url), version);
  console.log(`Wrote ${lines.length} emoji`);
}
