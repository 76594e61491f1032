import { lookup } from "node:dns/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, RemovalPolicy } from "aws-cdk-lib";
import { isLocalhostName } from "../shared/base/localhost-names.ts";
import { describeError } from "../shared/base/observability/describe-error.ts";
import { announceBuild } from "../shared/core/organization/build.ts";
import { operator } from "../shared/features/smoke/operator.ts";
import { runSmokeTest } from "../shared/features/smoke/report.ts";
import { type DeploySettings, deploySettings } from "./aws/settings.ts";
import { setDeletionProtection } from "./backup/deletion-protection.ts";
import { buildIdentity } from "./build/build-identity.ts";
import { adoptProfile, cdk } from "./cdk.ts";
import { readConfigFile } from "./config-file.ts";
import { contextIn } from "./context.ts";
import { checkOutputsFile, environmentOf, saveOutputs } from "./deployment.ts";
import { emulatorAccount, emulatorUrl } from "./ministack/emulator-url.ts";
import { runProgram } from "./program.ts";
import { checkDeployable } from "./stack/deployable.ts";
import { otherFleets, ownedData } from "./stack/deployed-stack.ts";
import { closeMailDomain, openMailDomain } from "./stack/mail-domain.ts";
import { findSettledStack } from "./stack/settled-stack.ts";

type Outputs = Record<string, string>;

/**
 * `npm run deploy`: checks the settings, deploys the fleet, prints the next steps and runs a smoke test. When it is interrupted, it can
 * be run again. Arguments are passed on to `cdk deploy`.
 */
async function main(args: string[]): Promise<number> {
  adoptProfile(args);
  const settings = deploySettings(new App({ context: contextIn(args) }).node, readConfigFile());
  checkOutputsFile(settings.name);
  const deployed = await findSettledStack(settings.name);
  const owned = deployed ? await ownedData(deployed.id) : [];
  checkDeployable(settings, deployed, owned, await otherFleets(deployed?.id));
  if (settings.emulator) await bootstrapEmulator();
  // A rule set that the deployment removes must not be active.
  if (!settings.mailDomain || settings.mailRuleSet) await closeMailDomain(settings.name, deployed?.outputs);
  const outputs = await deployStack(settings.name, args);
  if (!outputs) return 1;
  console.log(summary(settings, outputs, await mailSteps(settings, outputs)));
  await protectTable(settings, outputs);
  await announceNewBuild(settings, outputs);
  return smoke(outputs);
}

/** Runs `cdk deploy`, and keeps the stack's outputs; undefined if it failed. */
async function deployStack(name: string, args: readonly string[]): Promise<Outputs | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "skein-deploy-"));
  try {
    const file = join(folder, "outputs.json");
    const status = await cdk(["deploy", name, "--outputs-file", file, ...args]);
    return status === 0 ? saveOutputs(name, file) : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `cdk bootstrap`, which an operator does once for an account on AWS; an emulator is usually empty. It runs in a folder
 * without an app, because CDK would otherwise build the app.
 */
async function bootstrapEmulator(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-bootstrap-"));
  const status = await cdk(["bootstrap", `aws://${emulatorAccount}/${process.env.AWS_REGION}`, "--ci"], folder);
  rmSync(folder, { recursive: true, force: true });
  if (status !== 0) throw new Error(`${emulatorUrl()} could not be prepared for CDK (cdk bootstrap).`);
}

/** Protects the fleet's own table from deletion unless its removal is wanted. A failure does not fail the deployment. */
async function protectTable({ removalPolicy, existing }: DeploySettings, { TableName: table = "" }: Outputs) {
  if (existing.table) return;
  try {
    await setDeletionProtection(table, removalPolicy !== RemovalPolicy.DESTROY);
  } catch (error) {
    console.log(`\nThe table's deletion protection could not be set: ${describeError(error).split("\n")[0]}`);
  }
}

/** Tells connected clients to reload if the code has changed. A failure does not fail the deployment. */
async function announceNewBuild({ featureLevel }: DeploySettings, outputs: Outputs): Promise<void> {
  Object.assign(process.env, environmentOf(outputs), { SKEIN_FEATURE_LEVEL: String(featureLevel) });
  try {
    if (await announceBuild(buildIdentity())) console.log("\nConnected clients have been told to reload.");
  } catch (error) {
    console.log(`\nConnected clients could not be told to reload: ${describeError(error).split("\n")[0]}`);
  }
}

/** How long a new API may take to become reachable. */
const newApiSeconds = 90;

/** Runs the smoke test. A domain that has no DNS record yet cannot be tested, which does not fail the deployment. */
async function smoke(outputs: Outputs): Promise<number> {
  const url = outputs.Url as string;
  console.log("");
  const { hostname } = new URL(url);
  if (!isLocalhostName(hostname) && !(await lookup(hostname).catch(() => undefined))) {
    console.log(`Skipped the smoke test: ${url} has no DNS record yet. When it has one: npm run smoke`);
    return 0;
  }
  Object.assign(process.env, environmentOf(outputs));
  return runSmokeTest({ url, operator, timeoutSeconds: newApiSeconds });
}

/** What the operator has to do before mail arrives. A failure does not fail the deployment. */
async function mailSteps(settings: DeploySettings, outputs: Outputs): Promise<string[]> {
  try {
    return await openMailDomain(settings, outputs);
  } catch (error) {
    return [`Incoming email could not be set up: ${describeError(error).split("\n")[0]}. Then deploy again.`];
  }
}

/** The text that shows the fleet's URL and resources and the operator's next steps. */
function summary(settings: DeploySettings, outputs: Outputs, mailSteps: readonly string[]): string {
  const { domain, alarmsTo, dashboard, mailFrom, pushBouncerUrl } = settings;
  const steps = [
    ...(domain && outputs.DomainTarget
      ? [
          `Create a CNAME record for ${domain.name} with the target ${outputs.DomainTarget}; until then the fleet cannot be reached.`,
        ]
      : []),
    "Create the organization: npm run create-org -- --file org.json",
    "Test the fleet as a client: SKEIN_API_KEY=<key> npm run smoke -- --email <address> (docs/first-deployment.md)",
    alarmsTo
      ? `Confirm the subscription in the email that AWS sends to ${alarmsTo}; until then no alarm will arrive.`
      : "Alarms are disabled: set alarmsTo to an email address to enable them.",
    ...(dashboard ? [] : ["There is no dashboard: set dashboard to true to create one."]),
    ...(mailFrom ? [] : ["Email is disabled: set mailFrom once Amazon SES has verified an address or a domain."]),
    ...mailSteps,
    ...(pushBouncerUrl ? [] : ["Mobile apps get no push notifications: set pushBouncerUrl to enable them."]),
  ];
  return [
    "",
    `${settings.name} is deployed: ${outputs.Url}`,
    `  table   ${outputs.TableName}`,
    `  files   ${outputs.FilesBucket}`,
    "",
    "Next:",
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join("\n");
}

await runProgram(main);
