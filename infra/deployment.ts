import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { operatorFolder, readConfigFile } from "./config-file.ts";
import { contextIn } from "./context.ts";
import { emulatorAccount, emulatorUrl } from "./ministack/emulator-url.ts";
import { RefusedError } from "./program.ts";

/**
 * Files about deployments from this folder, one of each kind for a fleet: its stack's outputs, and what a removal of its data still
 * has to delete. Their names have the account and the region, so that no fleet overwrites another's.
 */

type Outputs = Record<string, string>;
type Kind = "outputs" | "removal";

const folder = join(operatorFolder, ".cache", "deployments");

/** The option by which operators' commands name a fleet, for `parseArgs`: `-c name=SkeinDrill`. */
export const fleetOption = { context: { type: "string", short: "c", multiple: true } } as const;

/** The fleet that a command is for: the one that its arguments name, or else the settings file. */
function chosenName(): string {
  const { name, ...others } = contextIn(process.argv.slice(2));
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`This command has no setting ${other}; it takes -c name=… alone.`);
  return name ?? String(readConfigFile()?.values.name ?? "Skein");
}

/**
 * The file of the fleet `name`, if there is one: that which `SKEIN_DEPLOYMENT` names, or the one of this account and region. Throws if
 * fleets of this name are in several, and the environment does not tell which is meant.
 */
function findFile(kind: Kind, name: string): string | undefined {
  const { SKEIN_DEPLOYMENT: named, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  if (named !== undefined) return existsSync(namedFile(kind, named)) ? namedFile(kind, named) : undefined;
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  const files = globSync(`${name}.*.${kind}.json`, { cwd: folder }).filter((file) => {
    const [account, fileRegion] = file.slice(name.length + 1).split(".");
    return (account === emulatorAccount) === (emulatorUrl() !== undefined) && (!region || region === fileRegion);
  });
  if (files.length > 1)
    throw new Error(`Set AWS_REGION or SKEIN_DEPLOYMENT, because several fleets have this name: ${files.join(", ")}`);
  return files[0] && join(folder, files[0]);
}

const namedFile = (kind: Kind, named: string) => (kind === "outputs" ? named : `${named}.${kind}`);

/** The path of the file of a fleet, from the ARN of one of its resources. */
function pathOf(kind: Kind, name: string, arn: string): string {
  const [, , , region, account] = arn.split(":");
  const { SKEIN_DEPLOYMENT: named } = process.env;
  return named === undefined ? join(folder, `${name}.${account}.${region}.${kind}.json`) : namedFile(kind, named);
}

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/**
 * The environment variables of the deployed functions, from the stack's outputs: "QueueUrlPush" -> QUEUE_URL_PUSH, and "Url" ->
 * SKEIN_URL.
 */
export function environmentOf(outputs: Outputs): Record<string, string> {
  const variable = (output: string) =>
    output === "Url" ? "SKEIN_URL" : output.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [variable(name), value]));
}

/** The outputs of the last deployment, from this folder, of the fleet that the command is for; undefined if there is none. */
export function findDeployedOutputs(name?: string): Outputs | undefined {
  const file = findFile("outputs", name ?? chosenName());
  return file === undefined ? undefined : outputsIn(file, name ?? contextIn(process.argv.slice(2)).name);
}

/** Like `findDeployedOutputs`; the error says how to get them. */
export function deployedOutputs(name?: string): Outputs {
  const outputs = findDeployedOutputs(name);
  if (outputs) return outputs;
  throw new Error(`No deployment of ${name ?? chosenName()} is known here: run \`npm run deploy\` first.`);
}

/** The outputs of the fleet `name` in a file, by default of the only one in it. */
export function outputsIn(file: string, name?: string): Outputs | undefined {
  const outputsByStack = stacksIn(file);
  return name === undefined ? Object.values(outputsByStack)[0] : outputsByStack[name];
}

function stacksIn(file: string): Record<string, Outputs> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Whatever is wrong with the file, a deployment writes it again.
    return {};
  }
}

/** Throws if the file that `SKEIN_DEPLOYMENT` names is another fleet's. */
export function checkOutputsFile(name: string): void {
  const { SKEIN_DEPLOYMENT: file } = process.env;
  const [other] = file === undefined ? [] : Object.keys(stacksIn(file)).filter((stack) => stack !== name);
  if (other !== undefined)
    throw new RefusedError([`SKEIN_DEPLOYMENT, ${file}, has the outputs of the fleet ${other}, not of ${name}`]);
}

/** Keeps the outputs of the fleet `name` that `cdk deploy` has written to a file, and returns them. */
export function saveOutputs(name: string, cdkFile: string): Outputs {
  const outputs = outputsIn(cdkFile, name);
  if (!outputs?.ScheduleDeadLetterArn) throw new Error(`${name} was deployed, and CDK wrote no outputs to ${cdkFile}`);
  writeJson(pathOf("outputs", name, outputs.ScheduleDeadLetterArn), { [name]: outputs });
  return outputs;
}

/** Forgets the deployment of a stack, whose ARN tells it from others of its name. */
export function deleteOutputs(name: string, stackId: string): void {
  const file = pathOf("outputs", name, stackId);
  if (outputsIn(file, name)) rmSync(file);
}

/** What is known of a removal of the fleet `name` that has not been finished; undefined if there is none. */
export function readRemoval(name: string): unknown {
  const file = findFile("removal", name);
  return file && JSON.parse(readFileSync(file, "utf8"));
}

export const writeRemoval = (name: string, stackId: string, record: unknown): void =>
  writeJson(pathOf("removal", name, stackId), record);

export const deleteRemoval = (name: string, stackId: string): void =>
  rmSync(pathOf("removal", name, stackId), { force: true });
