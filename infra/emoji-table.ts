/**
 * Writes shared/emoji/names.generated.json: `node infra/emoji-table.ts <emoji_names.py>`, where the argument is that file
 * of the PyPI package zulip-emoji-mapping 1.0.1 (`pip download --no-deps zulip-emoji-mapping==1.0.1`, unpacked).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

interface DatasourceEmoji {
  unified: string;
  short_names: string[];
  added_in: string;
}

// The reference's present names where they differ from the package, which is a few years older (docs/decisions.md, emoji).
const renamed: Record<string, string[]> = { "1f604": ["smile", "big_smile"], "1f642": ["slight_smile"] };

function readMapping(file: string): Map<string, string[]> {
  const entry = /^\s*"([0-9a-f-]+)": \{\s*"canonical_name": "([^"]+)",\s*"aliases": \[([^\]]*)\]/gm;
  const names = new Map<string, string[]>();
  for (const [, code, canonical, aliases] of readFileSync(file, "utf8").matchAll(entry)) {
    names.set(code!, [canonical!, ...[...aliases!.matchAll(/"([^"]+)"/g)].map((alias) => alias[1]!)]);
  }
  return names;
}

const mappingFile = process.argv[2];
if (!mappingFile) throw new Error("Pass the path of zulip_emoji_mapping/emoji_names.py");
const table = readMapping(mappingFile);
const datasource: DatasourceEmoji[] = createRequire(import.meta.url)("emoji-datasource-google/emoji.json");
const taken = new Set([...table.values()].flat());
for (const emoji of datasource) {
  const code = emoji.unified.toLowerCase().replaceAll("-fe0f", "");
  // What Unicode added after the package was made; older codes without a name there have none in the service either.
  if (table.has(code) || Number(emoji.added_in) < 15.1) continue;
  const fresh = emoji.short_names.map((name) => name.replaceAll("-", "_")).filter((name) => !taken.has(name));
  if (fresh.length > 0) table.set(code, fresh);
}
for (const [code, names] of Object.entries(renamed)) table.set(code, names);

const sorted = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
const lines = sorted.map(([code, names]) => `${JSON.stringify(code)}: ${JSON.stringify(names.join(" "))}`);
writeFileSync(new URL("../shared/emoji/names.generated.json", import.meta.url), `{\n${lines.join(",\n")}\n}\n`);
console.log(`${sorted.length} emoji`);
