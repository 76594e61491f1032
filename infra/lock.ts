import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * `npm run lock`: regenerates package-lock.json. npm omits packages for other platforms that a registry mirror does not have,
 * and `npm ci` then fails everywhere; this adds them as optional packages of their platform.
 */

interface LockedPackage {
  version: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const root = resolve(import.meta.dirname, "..");

/**
 * The lock entry of a package whose name ends with its platform, such as "@scope/name-linux-x64-musl"; undefined for others.
 */
function platformPackage(name: string, version: string, dev: boolean | undefined): LockedPackage | undefined {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const systemIndex = words.findIndex((word) => systems.includes(word));
  const cpu = words[systemIndex + 1];
  if (systemIndex < 0 || !cpu) return undefined;
  const libc = words[systemIndex + 2];
  return {
    version,
    cpu: [cpu],
    ...(dev && { dev: true }),
    optional: true,
    os: [words[systemIndex] as string],
    ...(libc === "musl" && { libc: ["musl"] }),
  };
}

const folder = mkdtempSync(join(tmpdir(), "skein-lock-"));
try {
  for (const file of ["package.json", ".npmrc"]) copyFileSync(join(root, file), join(folder, file));
  const npm = spawnSync("npm", ["install", "--package-lock-only", "--ignore-scripts", "--loglevel=error"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (npm.status !== 0) throw new Error("npm could not resolve the dependencies");
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const packages: Record<string, LockedPackage> = lock.packages;
  for (const { optionalDependencies = {}, dev } of Object.values(packages))
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`;
      const missingPackage = packages[path] ? undefined : platformPackage(name, version, dev);
      if (missingPackage) packages[path] = missingPackage;
    }
  lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
