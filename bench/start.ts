import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../test/support/hosts/free-port.ts";
import { descendantsOf } from "../test/support/hosts/processes.ts";
import { type Section, table } from "./section.ts";

interface StartFigures {
  /** The start that creates the organization. */
  firstStartMs: number;
  laterStartMs: number;
  /** Of all processes. */
  hostMb: number;
  processes: number;
}

/** The time from the command to the first answered request, and the memory that the idle host uses. */
export const start: Section<StartFigures> = {
  name: "start",
  document: "docs/speed.md",
  title: "Start and memory of the local host",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-start-"));
    try {
      const first = await startOnce(folder, 0);
      // Takes the fastest of three runs, to reduce noise from other load.
      const later = [];
      for (const idleMs of [0, 0, 30_000]) later.push(await startOnce(folder, idleMs));
      const { hostMb, processes } = later.at(-1) as Awaited<ReturnType<typeof startOnce>>;
      return { firstStartMs: first.ms, laterStartMs: Math.min(...later.map(({ ms }) => ms)), hostMb, processes };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ firstStartMs, laterStartMs, hostMb, processes }) =>
    table(
      ["", "measured", "target"],
      [
        ["from `npm start` to the first reply, creating the organization", `${Math.round(firstStartMs)} ms`, ""],
        ["the same, with an existing organization", `${Math.round(laterStartMs)} ms`, "1,000 ms"],
        [
          `memory (PSS) after 30 s without requests, of ${processes === 1 ? "the one process" : `all ${processes} processes`}`,
          `${Math.round(hostMb)} MB`,
          "130 MB",
        ],
      ],
    ),
};

async function startOnce(dataFolder: string, idleMs: number) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["run.mjs", "infra/local/start.ts"], {
    cwd: resolve(import.meta.dirname, ".."),
    env: { ...process.env, PORT: String(port), SKEIN_DATA: dataFolder },
    stdio: "ignore",
  });
  const ended = new Promise((done) => child.once("exit", done));
  try {
    while (
      !(await fetch(`http://127.0.0.1:${port}/api/v1/server_settings`).then(
        (reply) => reply.ok,
        () => false,
      ))
    )
      await pause(5);
    const ms = performance.now() - startedAt;
    await pause(idleMs);
    const processes = [child.pid as number, ...descendantsOf(child.pid as number).map(({ pid }) => pid)];
    return { ms, processes: processes.length, hostMb: processes.reduce((sum, pid) => sum + proportionalMb(pid), 0) };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

/** The memory of a process; of pages that several processes share, such as Node's own, only its proportional share. */
function proportionalMb(pid: number): number {
  const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
