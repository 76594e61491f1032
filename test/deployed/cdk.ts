import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");

const running = new Set<ChildProcess>();

/** Ends what still runs, when this process is told to end. */
export const endCdk = () => {
  for (const child of running) child.kill();
};

/** Runs the real CDK command line; `env` says which AWS it talks to. Rejects with what it printed when it fails. */
export function cdk(args: string[], env: Record<string, string | undefined>): Promise<void> {
  const program = join(root, "node_modules", "aws-cdk", "bin", "cdk");
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env, AWS_PROFILE: undefined, CDK_DISABLE_CLI_TELEMETRY: "true", CI: "true" },
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    let printed = "";
    child.stdout.on("data", (data) => (printed += data));
    child.stderr.on("data", (data) => (printed += data));
    child.once("error", fail);
    child.once("close", (code) =>
      code === 0 ? done() : fail(new Error(`cdk ${args[0]} ended with status ${code}:\n${printed.slice(-6000)}`)),
    );
  });
}

/** Prepares the account for deployments, as an operator does once. */
export const bootstrap = (env: Record<string, string | undefined>) =>
  cdk(["bootstrap", "aws://000000000000/us-east-1"], env);

const folderOf = (name: string) => join(root, ".cache", "deployed", name);

/** The file in which CDK leaves the outputs of the stack `name`. */
export const outputsOf = (name: string) => join(folderOf(name), "outputs.json");

/** Deploys the functions below `fleetRoot` as the stack `name` and returns the stack's outputs. */
export async function deploy(
  name: string,
  env: Record<string, string | undefined>,
  fleetRoot?: string,
): Promise<Record<string, string>> {
  const folder = folderOf(name);
  rmSync(folder, { recursive: true, force: true });
  const outputs = outputsOf(name);
  const context = {
    name,
    removal: "destroy",
    logRetentionDays: "1",
    miniStack: "true",
    dist: join(folder, "dist"),
    ...(fleetRoot && { root: fleetRoot }),
  };
  const contextArgs = Object.entries(context).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const paths = ["--output", join(folder, "cdk.out"), "--outputs-file", outputs];
  await cdk(["deploy", "--all", "--require-approval", "never", ...paths, ...contextArgs], env);
  return JSON.parse(readFileSync(outputs, "utf8"))[name];
}
