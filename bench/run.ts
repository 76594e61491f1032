import { spawn } from "node:child_process";
import { once } from "node:events";
import { progressLine } from "../infra/progress.ts";
import { writeRequestRecords } from "../shared/base/observability/trace.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { sections } from "./sections.ts";

/**
 * `npm run bench`: measures all sections, or those that the arguments name, and writes docs/cost.md, docs/speed.md and
 * the README's figures. `npm run bench -- pages` measures nothing and writes these documents from the saved figures.
 */

// Suppresses the log line of each request.
writeRequestRecords(() => {});
const args = process.argv.slice(2);
const names = sections.flatMap(({ name, measure }) => (measure ? [name] : []));
const onlyDocuments = args.length === 1 && args[0] === "pages";
const unknownNames = onlyDocuments ? [] : args.filter((name) => !names.includes(name));
if (unknownNames.length > 0) {
  console.error(
    `There is no section ${unknownNames.join(", ")}. Name any of ${names.join(", ")}, none to measure all, or "pages" to measure nothing.`,
  );
  process.exit(2);
}
const selected = args.length > 0 ? names.filter((name) => args.includes(name)) : names;
if (onlyDocuments) console.log("Writing the documents from the saved figures ...");
else if (selected.length === 1) await measureHere(selected[0] as string);
else {
  for (const [index, name] of selected.entries()) {
    console.log(progressLine("Measuring", index, selected.length));
    await measureInOwnProcess(name);
  }
}
writeDocuments(sections, readFigures());
process.exit(0);

async function measureHere(name: string): Promise<void> {
  console.log(`${name} ...`);
  const figures = await sections.find((section) => section.name === name)?.measure?.();
  // Reads the figures again, because another run may have measured other sections meanwhile.
  writeDocuments(sections, { ...readFigures(), [name]: figures });
}

/** Each bench host has its own table, and a process can only use one table. */
async function measureInOwnProcess(name: string): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, name], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exit(1);
}
