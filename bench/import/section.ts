import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cpuMs, peakMb } from "../host/bench-host.ts";
import type { Section } from "../section.ts";
import { writeArchive } from "./archive.ts";

const size = { people: 1_000, messages: 100_000 };

export interface ImportFigures {
  messages: number;
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

/** What the import of an archive takes on one machine. */
export const importSection: Section<ImportFigures> = {
  name: "import",
  document: "docs/speed.md",
  title: "Moving in, on one machine",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-bench-import-"));
    try {
      const archive = join(folder, "archive");
      writeArchive(archive, size);
      return { messages: size.messages, ...(await measured(archive, join(folder, "data"))) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ seconds, cpuSeconds, peakMb: mb }) =>
    [
      `\`npm run import\` of a Zulip archive with ${size.messages.toLocaleString("en")} messages and ${size.people.toLocaleString("en")} people needs ${Math.round(cpuSeconds)} s of CPU,`,
      `and takes ${Math.round(seconds)} s. The`,
      `command had at most ${Math.round(mb)} MB of memory. A quarter of the messages are direct, the others go to 30 people, and one in a hundred`,
      "goes to all. The archive has reactions, mentions, edits, files and read marks.",
    ].join("\n"),
};

async function measured(archive: string, dataFolder: string): Promise<Omit<ImportFigures, "messages">> {
  // As `npm run import` does.
  const program = ["--max-semi-space-size=8", join(import.meta.dirname, "../../infra/import/import.ts")];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...program, "--from", archive], {
    env: { PATH: process.env.PATH, SKEIN_DATA: dataFolder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = once(child, "exit");
  const figures = { seconds: 0, cpuSeconds: 0, peakMb: 0 };
  // Until the process ends, after which nothing can be read of it.
  let code: number | undefined;
  void exit.then(([exitCode]) => (code = exitCode));
  while (code === undefined) {
    try {
      const pid = child.pid as number;
      figures.cpuSeconds = cpuMs(pid) / 1000;
      figures.peakMb = Math.max(figures.peakMb, peakMb(pid));
    } catch {
      // It has just ended.
    }
    await pause(200);
  }
  if (code !== 0) throw new Error(`The import ended with ${code}`);
  figures.seconds = (performance.now() - startedAt) / 1000;
  return figures;
}
