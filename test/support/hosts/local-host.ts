import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestError } from "vitest";
import type { TestProject } from "vitest/node";
import { startBouncer } from "../outside/bouncer-stand-in.ts";
import { clientSecret, scimToken, startIdentityProviders } from "../outside/identity-provider-servers.ts";
import type { Target } from "../target.ts";
import { hostLogVariable, startHostChild } from "./host-child.ts";
import { outgoingSettings, stubDnsModule } from "./outgoing.ts";

const maxPrintedLines = 20;
const maxPrintedLength = 300;

/**
 * Starts one host process for each Vitest worker that will have a file to run. The returned function stops them gracefully; if a test failed, it prints
 * the end of what these and all private hosts logged, and then the failed cases again, so that a log's last lines name them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const logFolder = mkdtempSync(join(tmpdir(), "skein-log-"));
  const log = join(logFolder, "hosts.log");
  process.env[hostLogVariable] = log;
  const { config, vitest } = project;
  const workers = Math.min(config.maxWorkers, vitest.state.getPaths().length);
  const hosts = await Promise.all(Array.from({ length: workers }, startHost));
  project.provide(
    "targets",
    hosts.map(({ target }) => target),
  );
  return async () => {
    await Promise.all(hosts.map(({ stop }) => stop()));
    const failed = failures(project);
    if (failed.length > 0 && existsSync(log)) {
      const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(-maxPrintedLines);
      const shortened = lines.map((line) => line.slice(0, maxPrintedLength));
      console.error(["The end of what the hosts logged:", ...shortened, "What failed:", ...failed].join("\n"));
    }
    rmSync(logFolder, { recursive: true });
  };
}

/** A line for each case that failed, and each file and group that could not be run, with each attempt's error and its place. */
function failures({ vitest }: TestProject): string[] {
  const line = (name: string, errors: readonly TestError[] = []) =>
    [
      name,
      ...errors.map(({ message, stacks = [] }) => {
        const place = stacks.findLast(({ file }) => file.endsWith(".test.ts"));
        return `  ${message.split("\n")[0]}${place ? ` (line ${place.line})` : ""}`;
      }),
    ].join("\n");
  return vitest.state.getTestModules().flatMap((module) => {
    const name = module.relativeModuleId;
    const suites = [...module.children.allSuites()].map((suite) => ({
      name: `${name} > ${suite.fullName}`,
      of: suite,
    }));
    return [
      ...[{ name, of: module }, ...suites]
        .filter(({ of }) => of.errors().length > 0)
        .map((group) => line(group.name, group.of.errors())),
      ...[...module.children.allTests("failed")].map((test) =>
        line(`${name} > ${test.fullName}`, test.result().errors),
      ),
    ];
  });
}

async function startHost(): Promise<{ target: Target; stop(): Promise<void> }> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-test-"));
  const [bouncer, providers] = await Promise.all([startBouncer(), startIdentityProviders()]);
  const env = {
    ...outgoingSettings,
    SKEIN_PUSH_BOUNCER_URL: bouncer.url,
    SKEIN_OIDC: providers.setting({ client_secret: clientSecret }),
    SKEIN_SCIM_TOKEN: scimToken,
    ...{ SKEIN_MAIL_DOMAIN: "mail.globe.test", SKEIN_MAIL_PORT: "0", SKEIN_MAIL_VERDICTS_BY: "mx.globe.test" },
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
