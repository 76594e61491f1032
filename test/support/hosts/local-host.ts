import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startBouncer } from "../outside/bouncer-stand-in.ts";
import type { Target } from "../target.ts";
import { startHostChild } from "./host-child.ts";
import { outgoingSettings, stubDnsModule } from "./outgoing.ts";

const ends: (() => Promise<void>)[] = [];

/** Stops the hosts gracefully. */
export const teardown = () => Promise.all(ends.map((end) => end()));

/** Starts one host process for each Vitest worker. */
export async function setup(project: TestProject) {
  const hosts = Array.from({ length: project.config.maxWorkers }, startHost);
  project.provide("targets", await Promise.all(hosts));
}

async function startHost(): Promise<Target> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-test-"));
  const bouncer = await startBouncer();
  const env = { ...outgoingSettings, SKEIN_PUSH_BOUNCER_URL: bouncer.url };
  const { url, environment, end } = await startHostChild(dataFolder, { env, nodeArgs: ["--import", stubDnsModule] });
  ends.push(async () => {
    await end();
    await bouncer.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  const mailFolder = join(dataFolder, "aws", "mail");
  return { kind: "local", bouncerUrl: bouncer.url, url, environment, mailFolder };
}
