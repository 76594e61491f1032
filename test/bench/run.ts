import { writeRequestRecords } from "../../shared/trace.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { sections } from "./sections.ts";

/** `npm run bench`: measures all sections, or those that the arguments name, and writes docs/cost.md and docs/speed.md. */

writeRequestRecords(() => {});
const wanted = process.argv.slice(2);
const names = sections.flatMap(({ name, measure }) => (measure ? [name] : []));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(", ")}: name any of ${names.join(", ")}, or none for all.`);
  process.exit(2);
}
for (const { name, measure } of sections) {
  if (!measure || (wanted.length > 0 && !wanted.includes(name))) continue;
  console.log(`${name} ...`);
  const figures = await measure();
  // Read anew: another run may have measured other sections meanwhile.
  writeDocuments(sections, { ...readFigures(), [name]: figures });
}
writeDocuments(sections, readFigures());
process.exit(0);
