import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startBouncer } from "../outside/bouncer-stand-in.ts";
import { clientSecret, startIdentityProviders } from "../outside/identity-provider-servers.ts";
import type { Target } from "../target.ts";
import { hostLogVariable, startHostChild } from "./host-child.ts";
import { outgoingSettings, stubDnsModule } from "./outgoing.ts";

const maxPrintedLines = 200;

/**
 * Starts one host process for each Vitest worker. The returned function stops them gracefully; if a test failed, it prints
 * the end of what these and all private hosts logged.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const logFolder = mkdtempSync(join(tmpdir(), "skein-log-"));
  const log = join(logFolder, "hosts.log");
  process.env[hostLogVariable] = log;
  const hosts = await Promise.all(Array.from({ length: project.config.maxWorkers }, startHost));
  project.provide(
    "targets",
    hosts.map(({ target }) => target),
  );
  return async () => {
    await Promise.all(hosts.map(({ stop }) => stop()));
    if (project.vitest.state.getCountOfFailedTests() > 0 && existsSync(log)) {
      const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(-maxPrintedLines);
      console.error(["The end of what the hosts logged:", ...lines].join("\n"));
    }
    rmSync(logFolder, { recursive: true });
  };
}

async function startHost(): Promise<{ target: Target; stop(): Promise<void> }> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-test-"));
  const [bouncer, providers] = await Promise.all([startBouncer(), startIdentityProviders()]);
  const env = {
    ...outgoingSettings,
    SKEIN_PUSH_BOUNCER_URL: bouncer.url,
    SKEIN_OIDC: providers.setting({ client_secret: clientSecret }),
  };
  const { url, environment, end } = await startHostChild(dataFolder, { env, nodeArgs: ["--import", stubDnsModule] });
  const mailFolder = join(dataFolder, "aws", "mail");
  return {
    target: { kind: "local", bouncerUrl: bouncer.url, url, environment, mailFolder },
    stop: async () => {
      await end();
      await Promise.all([bouncer.stop(), providers.stop()]);
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
