import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startBouncer } from "./bouncer-stand-in.ts";
import { outgoingSettings } from "./outgoing.ts";
import "./target.ts";

let end: (() => Promise<void>) | undefined;

/** Ends the host in order. */
export const teardown = () => end?.();

/** Starts one host, in a process of its own, that all test files share. */
export async function setup(project: TestProject) {
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
  const started = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      const line = output.split("\n").find((candidate) => candidate.startsWith("{"));
      if (line && output.includes("\n")) resolve(line);
    });
    child.once("exit", (code) => reject(new Error(`The host under test ended with code ${code}`)));
  });
  project.provide("target", { kind: "local", bouncerUrl: bouncer.url, ...JSON.parse(started) });
  end = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    await ended;
    await bouncer.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  };
}
