import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleFleet, bundleFolders } from "../../infra/build/bundle.ts";
import { outputsIn } from "../../infra/deployment.ts";
import { type FleetMember, loadFleet } from "../../infra/fleet.ts";

const root = resolve(import.meta.dirname, "..", "..");

export type Environment = Record<string, string | undefined>;

const running = new Set<ChildProcess>();

/** Kills the programs that are still running; for signal handlers. */
export const endCommands = () => {
  for (const child of running) child.kill();
};

/** Has `endCommands` kill the program while it runs. */
export function endsWithUs(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

/** Runs a program, of the repository or at an absolute path, and returns its output; rejects with the output when it fails. */
export function run(program: string, args: readonly string[], env: Environment, cwd = root): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", resolve(root, program), ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env, AWS_PROFILE: undefined, CDK_DISABLE_CLI_TELEMETRY: "true", CI: "true" },
    });
    endsWithUs(child);
    let printed = "";
    child.stdout.on("data", (data) => (printed += data));
    child.stderr.on("data", (data) => (printed += data));
    child.once("error", fail);
    child.once("close", (code) =>
      code === 0
        ? done(printed)
        : fail(new Error(`${program} ${args[0] ?? ""} ended with status ${code}:\n${printed.slice(-6000)}`)),
    );
  });
}

/** The folder for the bundles, templates and outputs of the stack `name`. */
export const folderOf = (name: string) => join(root, ".cache", "deployed", name);

/** The file with the outputs of the stack `name`. */
export const outputsOf = (name: string) => join(folderOf(name), "outputs.json");

export const contextArgs = (name: string, context: Record<string, string>) => {
  const defaults = { name, logRetentionDays: "1", rateLimits: "off", dist: join(folderOf(name), "dist") };
  return [
    ...Object.entries({ ...defaults, ...context }).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ...["--output", join(folderOf(name), "cdk.out")],
  ];
};

/**
 * Bundles the functions of the repository at `fleetRoot` once for all deployments; returns the context with which `deploy` uses
 * the bundles.
 */
export async function bundleForDeploy(name: string, fleetRoot: string): Promise<Record<string, string>> {
  const dist = join(folderOf(name), "dist");
  await bundleFleet(await loadFleet(fleetRoot), dist);
  return { root: fleetRoot, dist, bundled: "true" };
}

/**
 * Like `bundleForDeploy` for an older fleet. Most of its files are those of today, and so are their bundles; generated files differ,
 * because they describe the whole fleet.
 */
export async function bundleOlder(fleetRoot: string, today: Record<string, string>): Promise<Record<string, string>> {
  const textOf = ({ file }: FleetMember) => readFileSync(file, "utf8");
  const byText = new Map((await loadFleet()).map((member) => [textOf(member), member]));
  const older = await loadFleet(fleetRoot);
  const dist = join(folderOf("older"), "dist");
  const bundles = older.map((member) => ({
    member,
    today: member.spec.uses.built ? undefined : byText.get(textOf(member)),
  }));
  const changed = bundles.filter((bundle) => !bundle.today).map(({ member }) => member);
  await bundleFleet(older, dist, undefined, changed);
  for (const bundle of bundles)
    if (bundle.today)
      cpSync(bundleFolders(today.dist).folderOf(bundle.today), bundleFolders(dist).folderOf(bundle.member), {
        recursive: true,
      });
  return { root: fleetRoot, dist, bundled: "true" };
}

const savedOutputs = (name: string) => outputsIn(outputsOf(name), name) ?? {};

/** Runs `npm run deploy`; returns its output and the stack's outputs. */
export async function deploy(
  name: string,
  env: Environment,
  context: Record<string, string> = {},
): Promise<{ printed: string; outputs: Record<string, string> }> {
  const printed = await runDeployment("infra/deploy.ts", [], name, env, context);
  return { printed, outputs: savedOutputs(name) };
}

/** Runs `cdk deploy` alone, for functions among which the smoke test finds none of those it calls; returns the outputs. */
export async function deployStack(
  name: string,
  env: Environment,
  context: Record<string, string>,
): Promise<Record<string, string>> {
  const args = ["deploy", name, "--outputs-file", outputsOf(name)];
  await runDeployment("node_modules/aws-cdk/bin/cdk", args, name, env, context);
  return savedOutputs(name);
}

function runDeployment(
  program: string,
  args: readonly string[],
  name: string,
  env: Environment,
  context: Record<string, string>,
): Promise<string> {
  rmSync(join(folderOf(name), "cdk.out"), { recursive: true, force: true });
  return run(program, [...args, "--require-approval", "never", ...contextArgs(name, context)], {
    ...env,
    SKEIN_DEPLOYMENT: outputsOf(name),
  });
}

/** Runs `npm run destroy`, by default with the answer to its question; returns its output. */
export const destroy = (
  name: string,
  env: Environment,
  context: Record<string, string> = {},
  args: readonly string[] = ["--yes"],
): Promise<string> =>
  run("infra/destroy.ts", [...args, ...contextArgs(name, context)], {
    ...env,
    SKEIN_DEPLOYMENT: outputsOf(name),
  });

/** Runs `npm run create-org` with the organization of the local tests. */
export const createOrganization = (name: string, env: Environment): Promise<string> =>
  run("infra/create-org.ts", ["--file", join(root, "test", "support", "organization.json")], {
    ...env,
    SKEIN_DEPLOYMENT: outputsOf(name),
  });
