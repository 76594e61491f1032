import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type OrganizationFile, parseOrganizationFile } from "../../shared/features/bootstrap/organization-file.ts";
import { apiKeyOfAccount } from "../../shared/services/identity/api-keys.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { operatorFolder, readConfigFile } from "../config-file.ts";
import { deployedOutputs, environmentOf, outputsIn } from "../deployment.ts";
import { lockFile } from "../local/data-folder.ts";
import { whenOrphaned } from "../local/orphaned.ts";
import { emulatorCredentials } from "./emulator-url.ts";
import { type ForwardedApi, startForwarder } from "./forwarder.ts";
import { freePort, installMiniStack, type MiniStack, startMiniStack } from "./ministack.ts";

/**
 * `npm run local:aws`: starts an emulator of AWS, runs `npm run deploy` against it, creates the sample organization, tests the
 * fleet as a client would and serves it at http://127.0.0.1:<PORT> until Ctrl+C. Data is kept, and the next run updates the
 * fleet in place. Arguments are passed on to `npm run deploy`.
 */

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(process.env.SKEIN_AWS_DATA ?? join(operatorFolder, ".skein-aws"));
const organizationFile = resolve(process.env.SKEIN_ORG ?? join(root, "organization.sample.json"));
const port = Number(process.env.PORT ?? 9992);
const url = `http://127.0.0.1:${port}`;
const inFolder = (name: string) => join(folder, name);

/** A problem that the person who runs the command can fix. */
class CannotRunError extends Error {}

/** What a stop ends, in this order. */
const running: { child?: ChildProcess; miniStack?: MiniStack } = {};
let stopping: Promise<void> | undefined;

async function main(args: string[]): Promise<void> {
  const startedAt = performance.now();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lockFile(inFolder("lock"), 0)) throw new CannotRunError(`Another npm run local:aws uses ${folder}.`);
  const organization = parseOrganizationFile(readFileSync(organizationFile, "utf8"));
  installMiniStack();
  const emulatorPort = await keptPort();
  await startForwarder(port, findApi(emulatorPort)).catch((error: NodeJS.ErrnoException) => {
    throw new CannotRunError(`Port ${port} cannot be used (${error.code}): set PORT to another port.`);
  });
  const miniStack = await startMiniStack({
    logFile: inFolder("emulator.log"),
    port: emulatorPort,
    stateFolder: inFolder("state"),
  });
  running.miniStack = miniStack;
  Object.assign(process.env, miniStack.env, commandEnvironment());
  delete process.env.AWS_PROFILE;

  await run("infra/deploy.ts", ["--require-approval", "never", "--output", inFolder("cdk.out"), ...args]);
  await run("infra/create-org.ts", ["--file", organizationFile]);
  Object.assign(process.env, environmentOf(deployedOutputs()));
  const owner = await findOwner(organization);
  if (owner) await run("infra/smoke.ts", ["--email", owner.email], { SKEIN_API_KEY: owner.key });
  console.log(summary(miniStack, owner, performance.now() - startedAt));
}

/** The port of the emulator is part of the addresses that it stores, so it stays the same. */
async function keptPort(): Promise<number> {
  const file = inFolder("emulator-port");
  if (!existsSync(file)) writeFileSync(file, String(await freePort()));
  return Number(readFileSync(file, "utf8"));
}

/** The environment of commands for this fleet. Settings for AWS, such as a domain, do not concern it. */
function commandEnvironment() {
  const settingsFile = inFolder("skein.config.json");
  const kept = existsSync(settingsFile) ? (readConfigFile(settingsFile)?.values ?? {}) : {};
  writeFileSync(settingsFile, JSON.stringify({ logRetentionDays: 1, ...kept, url }));
  return { SKEIN_CONFIG: settingsFile, SKEIN_DEPLOYMENT: inFolder("deployment.json") };
}

/** Finds the deployed API by the outputs of the deployment, as soon as there are any. */
function findApi(emulatorPort: number): () => ForwardedApi | undefined {
  let api: ForwardedApi | undefined;
  return () => {
    if (api) return api;
    const outputs = outputsIn(inFolder("deployment.json"));
    if (outputs)
      api = { url: `http://127.0.0.1:${emulatorPort}`, host: `${outputs.ApiId}.execute-api.localhost:${emulatorPort}` };
    return api;
  };
}

/** Runs a command of the repository in this terminal; throws if it fails. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  if (stopping) return stopping;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(root, program), ...args], {
    ...{ cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] },
  });
  running.child = child;
  const status = await new Promise<number | null>((done, fail) => {
    child.once("error", fail);
    child.once("exit", done);
  });
  if (stopping) await stopping;
  if (status !== 0) throw new CannotRunError(`${program} failed; the emulator's log is ${inFolder("emulator.log")}.`);
}

interface Owner {
  email: string;
  key: string;
  password: string | undefined;
}

/** The owner whom the organization file names, with the API key that the fleet has for them. */
async function findOwner({ users }: OrganizationFile): Promise<Owner | undefined> {
  const user = users.find(({ role }) => role === "owner");
  const account = user && (await findAccount(user.email));
  return account && { email: account.email, key: await apiKeyOfAccount(account), password: user.password };
}

function summary(miniStack: MiniStack, owner: Owner | undefined, ms: number): string {
  const variables = {
    AWS_ENDPOINT_URL: miniStack.url,
    ...emulatorCredentials,
    SKEIN_CONFIG: inFolder("skein.config.json"),
    SKEIN_DEPLOYMENT: inFolder("deployment.json"),
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return [
    "",
    `Skein runs in an emulator of AWS and is served at ${url} (ready in ${Math.round(ms / 1000)} s)`,
    ...(owner
      ? [
          `  owner     ${owner.email}`,
          ...(owner.password ? [`  password  ${owner.password} (from ${organizationFile})`] : []),
          `  API key   ${owner.key}`,
          `  try       curl -sS -u '${owner.email}:${owner.key}' ${url}/api/v1/messages -d type=direct -d 'to=["${owner.email}"]' --data-urlencode 'content=Hello, world!'`,
        ]
      : []),
    `  emulator  ${miniStack.url} (its log: ${miniStack.logFile})`,
    "For other commands on this fleet, in another terminal:",
    `  export ${assignments.join(" ")}`,
    "Press Ctrl+C to stop; all data is kept.",
  ].join("\n");
}

/** Ends what runs. The emulator saves its state when it ends. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    running.child?.kill();
    await running.miniStack?.stop();
  })();
  return stopping;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => void stop().then(() => process.exit(0)));
whenOrphaned(() => void stop().then(() => process.exit(0)));

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof CannotRunError ? error.message : error);
  await stop();
  process.exit(1);
}
