import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { CreateEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { environmentOf } from "../../infra/deployment.ts";
import { startBouncer } from "../support/bouncer-stand-in.ts";
import { outgoingSettings } from "../support/outgoing.ts";
import { bootstrap, deploy, endCdk, outputsOf } from "./cdk.ts";
import { functionErrors } from "./function-errors.ts";
import { installMiniStack, logFile, logTail, type MiniStack, startMiniStack } from "./ministack.ts";

/**
 * `npm run test:deploy`: deploys the fleet into MiniStack with IAM enforced and runs the deployed tests against it.
 * Arguments go to vitest. The tests find the deployment in environment variables, see `testEnvironment`.
 */
async function main(args: string[]): Promise<number> {
  installMiniStack();
  const miniStack = await step("MiniStack is up", startMiniStack);
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
      endCdk();
      void stop().then(() => process.exit(130));
    });
  }
  try {
    await verifyWithSes(miniStack, mailFrom);
    await step("cdk bootstrap", () => bootstrap(miniStack.env));
    const outputs = await step("cdk deploy", () => deploy("Skein", { ...miniStack.env, ...operatorSettings }));
    const environment = testEnvironment(miniStack, outputs);
    await step("The organization is created", () => organize(miniStack));
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

/** The organization of the local column's tests, created as an operator does it. */
function organize({ env }: MiniStack): Promise<void> {
  const root = resolve(import.meta.dirname, "..", "..");
  const file = join(root, "test", "support", "organization.json");
  const child = spawn(process.execPath, [join(root, "infra", "create-org.ts"), "--file", file], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env, SKEIN_DEPLOYMENT: outputsOf("Skein") },
  });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => (code === 0 ? done() : fail(new Error("The organization could not be created"))));
  });
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
