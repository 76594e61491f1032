import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createOrganization } from "../../shared/organization/create.ts";
import { parseOrganizationFile } from "../../shared/organization/file.ts";
import { startBouncer } from "../support/bouncer-stand-in.ts";
import { outgoingSettings } from "../support/outgoing.ts";
import { bootstrap, deploy, endCdk } from "./cdk.ts";
import { functionErrors } from "./function-errors.ts";
import { installMiniStack, logFile, logTail, type MiniStack, startMiniStack } from "./ministack.ts";

/**
 * `npm run test:deploy`: deploys the fleet into MiniStack with IAM enforced and runs the deployed tests against it.
 * Arguments go to vitest. The tests find the deployment in environment variables, see `environmentOf`.
 */
async function main(args: string[]): Promise<number> {
  installMiniStack();
  const miniStack = await step("MiniStack is up", startMiniStack);
  const bouncer = await startBouncer();
  const operatorSettings = { ...outgoingSettings, SKEIN_PUSH_BOUNCER_URL: bouncer.url };
  let ended = false;
  const stop = async () => {
    if (!ended) await Promise.all([miniStack.stop(), bouncer.stop()]);
    ended = true;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      endCdk();
      void stop().then(() => process.exit(130));
    });
  }
  try {
    await step("cdk bootstrap", () => bootstrap(miniStack.env));
    const outputs = await step("cdk deploy", () => deploy("Skein", { ...miniStack.env, ...operatorSettings }));
    const environment = environmentOf(miniStack, outputs);
    await step("The organization is created", () => organize(environment));
    const status = await vitest(args, { ...environment, SKEIN_PUSH_BOUNCER_URL: bouncer.url });
    if (status !== 0) {
      console.error(`\nThe end of ${logFile}:\n${logTail()}`);
      console.error(`\nWhat functions logged:\n${(await functionErrors(miniStack)).join("\n")}`);
    }
    return status;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(`\nThe end of ${logFile}:\n${logTail()}`);
    return 1;
  } finally {
    await stop();
  }
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

/** SKEIN_DEPLOYED_URL and _HOST say how to reach the API; each output is there as its function's variable is named. */
function environmentOf({ url, port, env }: MiniStack, outputs: Record<string, string>): Record<string, string> {
  const variable = (output: string) => output.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return {
    ...env,
    ...Object.fromEntries(Object.entries(outputs).map(([name, value]) => [variable(name), value])),
    SKEIN_DEPLOYED_URL: url,
    SKEIN_DEPLOYED_HOST: `${outputs.ApiId}.execute-api.localhost:${port}`,
  };
}

/** The organization of the local column's tests, created as an operator does it: from outside, with an operator's rights. */
async function organize(environment: Record<string, string>): Promise<void> {
  Object.assign(process.env, environment);
  const text = await readFile(new URL("../support/organization.json", import.meta.url), "utf8");
  await createOrganization(parseOrganizationFile(text), process.env, resolve(import.meta.dirname, "..", "support"));
}

function vitest(args: string[], env: Record<string, string>): Promise<number> {
  const root = resolve(import.meta.dirname, "..", "..");
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [program, "run", "--config", "vitest.deployed.config.ts", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}

process.exitCode = await main(process.argv.slice(2));
