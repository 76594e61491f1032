import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startBouncer } from "./bouncer-stand-in.ts";
import { outgoingSettings } from "./outgoing.ts";
import type { Target } from "./target.ts";

const ends: (() => Promise<void>)[] = [];

/** Ends the hosts in order. */
export const teardown = () => Promise.all(ends.map((end) => end()));

/** Starts as many hosts as there are workers, each in a process of its own, for the files that a worker runs. */
export async function setup(project: TestProject) {
  const hosts = Array.from({ length: project.config.maxWorkers }, startHost);
  project.provide("targets", await Promise.all(hosts));
}

async function startHost(): Promise<Target> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-test-"));
  const bouncer = await startBouncer();
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "test/support/host-process.ts", dataFolder],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...outgoingSettings, SKEIN_PUSH_BOUNCER_URL: bouncer.url },
    },
  );
  ends.push(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    await ended;
    await bouncer.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  const started = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const line = output.split("\n").find((candidate) => candidate.startsWith("{"));
      if (line && output.includes("\n")) resolve(line);
    });
    child.once("exit", (code) => reject(new Error(`The host under test ended with code ${code}`)));
  });
  return { kind: "local", bouncerUrl: bouncer.url, ...JSON.parse(started) };
}
