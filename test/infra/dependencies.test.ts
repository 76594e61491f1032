import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  dev?: true;
  os?: string[];
  cpu?: string[];
  hasInstallScript?: true;
}

test("of what npm start needs, only esbuild and Node itself differ from system to system", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const needed = Object.entries(packages).filter(([, { dev }]) => !dev);
  const namesOf = (entries: typeof needed) => entries.map(([path]) => path.split("node_modules/").at(-1) ?? "");

  const ofOneSystem = namesOf(needed.filter(([, { os, cpu }]) => os ?? cpu));
  const withPrograms = namesOf(needed.filter(([, { hasInstallScript }]) => hasInstallScript));

  expect(ofOneSystem.filter((name) => !name.startsWith("@esbuild/"))).toEqual([]);
  // The script of @scarf/scarf is not allowed to run.
  expect(withPrograms).toEqual(["@scarf/scarf", "esbuild", "node"]);
});
