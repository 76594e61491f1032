/**
 * Writes shared/core/markdown/languages.generated.json, the names of languages of code blocks: `node
 * infra/generate/language-names.ts <_mapping.py>`, where the argument is pygments/lexers/_mapping.py of Pygments 2.21
 * (BSD-2-Clause).
 */
import { readFileSync, writeFileSync } from "node:fs";

const mappingFile = process.argv[2];
if (!mappingFile) throw new Error("Pass the path of pygments/lexers/_mapping.py");
const entry = /^\s*'\w+': \('[\w.]+', (?:'([^']*)'|"([^"]*)"), \(([^)]*)\)/gm;
const aliases: Record<string, string> = {};
for (const [, single, double = "", list = ""] of readFileSync(mappingFile, "utf8").matchAll(entry)) {
  for (const [, alias = ""] of list.matchAll(/'([^']+)'/g)) aliases[alias.toLowerCase()] ??= single ?? double;
}
const lines = Object.keys(aliases)
  .sort()
  .map((alias) => `${JSON.stringify(alias)}: ${JSON.stringify(aliases[alias])}`);
writeFileSync(
  new URL("../../shared/core/markdown/languages.generated.json", import.meta.url),
  `{\n${lines.join(",\n")}\n}\n`,
);
console.log(`${lines.length} aliases`);
