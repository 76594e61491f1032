import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { extract } from "tar";
import { packRelease } from "../../infra/release/package.ts";
import { contextArgs, type Environment, outputsOf, run } from "./cdk.ts";

const root = resolve(import.meta.dirname, "..", "..");

/**
 * Packs this repository as the release `version`, unpacks it as `npx` does, and deploys the fleet `name` with it, in a folder without a
 * checkout. The release's dependencies are those that are installed here.
 */
export async function deployRelease(
  version: string,
  name: string,
  env: Environment,
  context: Record<string, string>,
): Promise<void> {
  const unpacked = join(root, ".cache", "deployed", "releases", version);
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  const file = join(unpacked, "skein.tgz");
  await packRelease(file, version);
  await extract({ file, cwd: unpacked });
  symlinkSync(join(root, "node_modules"), join(unpacked, "package", "release", "node_modules"));
  const operator = mkdtempSync(join(tmpdir(), "skein-operator-"));
  try {
    await run(
      join(unpacked, "package", "skein.mjs"),
      ["deploy", "--require-approval", "never", ...contextArgs(name, context)],
      { ...env, SKEIN_RELEASES: join(operator, "releases"), SKEIN_DEPLOYMENT: outputsOf(name) },
      operator,
    );
  } finally {
    rmSync(operator, { recursive: true, force: true });
  }
}
