import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Identifies a build: a hash of the sources of the functions and the web client. */
export function buildIdentity(): string {
  const hash = createHash("sha256");
  for (const file of globSync(["shared/**/*", "functions/**/*.ts", "web/**/*", "package-lock.json"], {
    cwd: root,
    withFileTypes: false,
    exclude: ["**/node_modules"],
  }).sort()) {
    const content = contentOf(resolve(root, file));
    if (content) hash.update(file).update("\0").update(content).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

/** The content of a file; undefined for a folder. */
function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EISDIR") return undefined;
    throw error;
  }
}
