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
  return install(`${name}-${version}`, [`${name}==${version}`]);
}

/**
 * The folder of the virtual environment with the packages of a requirements file. Installs packages even if they do not
 * declare support for this Python version.
 */
export async function environmentOf(requirements: string): Promise<string> {
  const version = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16);
  return install(`${basename(requirements, ".requirements.txt")}-${version}`, [
    "--ignore-requires-python",
    ...["-r", requirements],
  ]);
}

let pip: Promise<string> | undefined;

/** Python with pip, which installs into all environments: to install pip into each would take five seconds of processor time. */
const pythonWithPip = () => (pip ??= make("pip", (unfinished) => run("python3", ["-m", "venv", unfinished])));

const install = (name: string, pipArgs: readonly string[]) =>
  make(name, async (unfinished) => {
    const python = join(await pythonWithPip(), "bin/python");
    await run("python3", ["-m", "venv", "--without-pip", unfinished]);
    // Most modules are never imported, so none is compiled.
    const options = ["--quiet", "--no-compile", "--disable-pip-version-check"];
    await run(python, ["-m", "pip", "--python", join(unfinished, "bin/python"), "install", ...options, ...pipArgs]);
  });

/** Makes an environment unless it exists, and returns its folder. It has a temporary name at first, so that an interrupted one is not used. */
async function make(name: string, work: (unfinished: string) => Promise<unknown>): Promise<string> {
  const environment = join(folder, name);
  if (existsSync(environment)) return environment;
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, `making-${name}-${process.pid}`);
  await work(unfinished);
  try {
    renameSync(unfinished, environment);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(environment)) throw error;
  }
  return environment;
}
