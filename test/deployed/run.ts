import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { CreateEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { environmentOf } from "../../infra/deployment.ts";
import { startBouncer } from "../support/bouncer-stand-in.ts";
import { askNames, outgoingSettings } from "../support/outgoing.ts";
import { bootstrap, createOrganization, deploy, endCommands } from "./cdk.ts";
import { destroyAndReturn, destroyWithData, operatorContext } from "./destruction.ts";
import { functionErrors } from "./function-errors.ts";
import { installMiniStack, logFile, logTail, type MiniStack, startMiniStack } from "./ministack.ts";
import { olderFleet } from "./older-fleet.ts";
import { type Upgrade, underLoad, writeBefore } from "./upgrade.ts";
import { Visitor } from "./visitor.ts";

/** What is run before the upgrade: a slice that takes little time and does without what the upgrade adds. */
const slice = [
  "test/users/fetch-api-key.test.ts",
  "test/messages/send-message.test.ts",
  "test/subscriptions/add-subscriptions.test.ts",
];

/**
 * `npm run test:deploy`: into MiniStack, with IAM enforced, it deploys a fleet as it may have been before, runs a slice of the
 * tests, upgrades that fleet while it is used, runs the deployed tests, and destroys it; a new fleet with the table that was
 * kept must serve what was written at first. Arguments go to vitest. The tests find the deployment in environment
 * variables, see `testEnvironment`.
 */
async function main(args: string[]): Promise<number> {
  installMiniStack();
  const miniStack = await step("MiniStack is up", () => startMiniStack(`--import=${askNames}`));
  const bouncer = await startBouncer();
  const mailFrom = "skein@globe.test";
  const operatorSettings = { ...outgoingSettings, SKEIN_PUSH_BOUNCER_URL: bouncer.url, SKEIN_MAIL_FROM: mailFrom };
  let ended = false;
  const stop = async () => {
    if (!ended) await Promise.all([miniStack.stop(), bouncer.stop()]);
    ended = true;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      endCommands();
      void stop().then(() => process.exit(130));
    });
  }
  try {
    await verifyWithSes(miniStack, mailFrom);
    await step("cdk bootstrap", () => bootstrap(miniStack.env));
    const operator = { ...miniStack.env, ...operatorSettings };
    const older = { ...operatorContext, root: olderFleet(), memoryMb: "256" };
    const { outputs, printed } = await step("An older fleet is deployed", () => deploy("Skein", operator, older));
    if (!printed.includes(`Skein is deployed: ${outputs.Url}`)) throw new Error(`There is no summary:\n${printed}`);
    await step("The organization is created", () => createOrganization("Skein", miniStack.env));
    const environment = { ...testEnvironment(miniStack, outputs), SKEIN_PUSH_BOUNCER_URL: bouncer.url };
    const visitor = new Visitor(miniStack, outputs.ApiId ?? "");
    await visitor.logIn();
    let status = await vitest(slice, environment);
    const before = await writeBefore(visitor);
    const during = await step("The fleet is upgraded", () =>
      underLoad(visitor, () => deploy("Skein", operator, operatorContext)),
    );
    const environmentNow = { ...environment, ...environmentOf(during.result.outputs) };
    const { requests, failures } = during;
    const upgrade: Upgrade = { ...before, requests, failures };
    console.log(`${upgrade.requests} requests during the upgrade, ${upgrade.failures.length} of them not served`);
    status ||= await vitest(args, { ...environmentNow, SKEIN_UPGRADE: JSON.stringify(upgrade) });
    if (status === 0) {
      await step("The fleet is destroyed, and another serves its data", () =>
        destroyAndReturn(miniStack, outputs, upgrade),
      );
      await step("A fleet is destroyed with its data", () => destroyWithData(miniStack));
    } else {
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
function testEnvironment({ url, port, env }: MiniStack, outputs: Record<string, string>): Record<string, string> {
  return {
    ...env,
    ...environmentOf(outputs),
    SKEIN_DEPLOYED_URL: url,
    SKEIN_DEPLOYED_HOST: `${outputs.ApiId}.execute-api.localhost:${port}`,
  };
}

/** As the operator does before mail may leave. */
async function verifyWithSes({ env }: MiniStack, EmailIdentity: string): Promise<void> {
  const { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region, AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = env;
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const ses = new SESv2Client({ ...(endpoint && { endpoint }), ...(region && { region }), credentials });
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity }));
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
