import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Tree } from "./rooms.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, ".cache", "layers");

/**
 * Writes a configuration of the compiler for each layer but the highest, with the layers below it and nothing else, and returns their
 * paths. They show what imports do not: a layer that uses a type of event which a higher one adds.
 */
export function layerPrograms(tree: Tree): string[] {
  mkdirSync(folder, { recursive: true });
  const pathTo = (path: string) => relative(folder, join(root, path)).replaceAll("\\", "/");
  const names = tree.layers.map(({ name }) => name);
  return names.slice(0, -1).map((name, index) => {
    const file = join(folder, `${name}.json`);
    const include = names.slice(0, index + 1).map((lower) => pathTo(join(tree.folder, lower)));
    writeFileSync(file, JSON.stringify({ extends: pathTo("tsconfig.json"), include }));
    return file;
  });
}
