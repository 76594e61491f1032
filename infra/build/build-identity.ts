import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { endpointsFile } from "./web-endpoints.ts";

const root = resolve(import.meta.dirname, "../..");

/** Identifies a build: a hash of the sources of the functions and the web client. */
export function buildIdentity(): string {
  const hash = createHash("sha256");
  const files = ["shared", "functions", "web"].flatMap((folder) =>
    readdirSync(resolve(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
  // Types alone, which `npm run check` makes.
  const sources = files.filter((file) => resolve(root, file) !== endpointsFile);
  for (const file of [...sources, "package-lock.json"].sort())
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(resolve(root, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}
