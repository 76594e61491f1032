import { spawn } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Runs the CDK command line in this terminal; returns its exit status. */
export function cdk(args: readonly string[], cwd = root): Promise<number> {
  const program = resolve(root, "node_modules", "aws-cdk", "bin", "cdk");
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}

/**
 * Has the AWS clients of this process use the profile that a command line names for CDK, so that both act on the same account.
 * CDK prefers the profile to keys in the environment; the clients do not.
 */
export function adoptProfile(args: readonly string[]): void {
  const index = args.findIndex((arg) => /^--profile(=|$)/.test(arg));
  if (index < 0) return;
  const [, inline] = /^--profile=(.*)$/.exec(args[index] ?? "") ?? [];
  process.env.AWS_PROFILE = inline ?? args[index + 1];
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) delete process.env[name];
}
