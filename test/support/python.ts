import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The Python client as people install it, in a virtual environment of the tests' own; made when it is missing. */

const version = "0.9.1";
const folder = join(import.meta.dirname, "../../.cache/clients");
const environment = join(folder, `zulip-${version}`);

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

/** Runs a Python program of the tests with the client at hand; input and output are JSON. */
export async function runPython(program: string, input: unknown): Promise<any> {
  if (!existsSync(environment)) await install();
  return JSON.parse(await run(join(environment, "bin/python"), [program], JSON.stringify(input)));
}

/** Made under another name first: an installation that was interrupted is none. */
async function install() {
  mkdirSync(folder, { recursive: true });
  const unfinished = join(folder, `making-${process.pid}`);
  await run("python3", ["-m", "venv", unfinished]);
  await run(join(unfinished, "bin/python"), ["-m", "pip", "install", "--quiet", `zulip==${version}`]);
  try {
    renameSync(unfinished, environment);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(environment)) throw error;
  }
}
