import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Runs Python programs, each in a virtual environment that is created on first use. */

const folder = join(import.meta.dirname, "../../../.cache/clients");

const run = (command: string, args: string[], input = "") =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`${command} ended: ${errors}`))));
    child.stdin.end(input);
  });

/**
 * Runs a Python program in the environment in this folder, by default one with the Zulip client; input and output are
 * JSON.
 */
export async function runPython(program: string, input: unknown, environment?: string): Promise<any> {
  const python = join(environment ?? (await environmentWith("zulip", "0.9.1")), "bin/python");
  return JSON.parse(await run(python, [program], JSON.stringify(input)));
}

/** The folder of the virtual environment with a package. */
export async function environmentWith(name: string, version: string): Promise<string> {
  const environment = join(folder, `${name}-${version}`);
  if (!existsSync(environment)) await install(environment, [`${name}==${version}`]);
  return environment;
}

/**
 * The folder of the virtual environment with the packages of a requirements file. Installs packages even if they do not
 * declare support for this Python version.
 */
export async function environmentOf(requirements: string): Promise<string> {
  const version = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16);
  const environment = join(folder, `${basename(requirements, ".requirements.txt")}-${version}`);
  if (!existsSync(environment)) await install(environment, ["--ignore-requires-python", "-r", requirements]);
  return environment;
}

/** Most modules are never imported, so none is compiled. Installs under a temporary name first, so that an interrupted installation is not used. */
async function install(environment: string, pipArgs: readonly string[]) {
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, `making-${basename(environment)}-${process.pid}`);
  await run("python3", ["-m", "venv", unfinished]);
  await run(join(unfinished, "bin/python"), [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-compile",
    "--disable-pip-version-check",
    ...pipArgs,
  ]);
  try {
    renameSync(unfinished, environment);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(environment)) throw error;
  }
}
