import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/** A component that is loaded when it is first shown, such as `(await import("./poll.tsx")).Poll`. */
const loadedOnDemand = /\(await import\("(\.[^"]+)"\)\)\.(\w+)/g;

/**
 * Puts all components that the files matching `pattern` load on demand into one chunk: chunks of their own would split what each
 * shares with the page into further chunks, which every page loads.
 */
export function onDemandChunk(folder: string, pattern: string): Plugin {
  const files = globSync(pattern, { cwd: folder }).map((file) => join(folder, file));
  const exports = new Map(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(loadedOnDemand)].map(([, path = "", name = ""]) => {
        const from = join(dirname(file), path);
        return [`export { ${name} } from ${JSON.stringify(from)};`, from] as const;
      }),
    ),
  );
  const targets = new Set(exports.values());
  return {
    name: "on-demand-chunk",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path }) =>
        kind === "dynamic-import" && targets.has(join(resolveDir, path))
          ? { path: "on-demand", namespace: "on-demand" }
          : undefined,
      );
      build.onLoad({ filter: /^/, namespace: "on-demand" }, () => ({
        contents: [...exports.keys()].sort().join("\n"),
        resolveDir: folder,
      }));
    },
  };
}
