import { globSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { build, type Plugin } from "esbuild";
import { buildOptions, inMemory, root } from "./bundling.ts";

/** Packages of hundreds of files, of which functions use a small part. */
const large = /^(@aws-sdk\/[\w-]+|zod\/mini)$/;

/**
 * Modules of the SDK that no function needs, because Lambda has its credentials in the environment and no event streams are
 * read.
 */
const unneeded =
  /^(@aws-sdk\/credential-provider-(http|ini|process|sso|web-identity)|@smithy\/(core\/event-streams|credential-provider-imds))$/;

const omitUnneeded: Plugin = {
  name: "omit-unneeded",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unneeded }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "unneeded", namespace: "unneeded" } : undefined,
    );
    onLoad({ filter: /^/, namespace: "unneeded" }, () => ({
      contents: 'throw new Error("Functions are deployed without this module of the AWS SDK")',
    }));
  },
};

/**
 * Bundles what functions use of large packages into a few modules, and returns the plugin by which a function's build reads these:
 * it would otherwise read and link nine hundred files.
 */
export async function prebuildPackages(files: readonly string[]): Promise<Plugin> {
  const shared = globSync("shared/**/*.ts", { cwd: root }).map((file) => join(root, file));
  const names = await usedNames([...shared, ...files].map((file) => readFileSync(file, "utf8")));
  const entryOf = (name: string) => `node_modules/${name}/prebuilt`;
  const readNames: Plugin = {
    name: "read-names",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: large }, ({ path, kind }) =>
        kind === "entry-point" ? { path, namespace: "names" } : undefined,
      );
      onLoad({ filter: /^/, namespace: "names" }, ({ path }) => ({
        contents: `export { ${[...(names.get(path) ?? [])].join(", ")} } from ${JSON.stringify(path)};`,
        resolveDir: root,
      }));
    },
  };
  const { outputFiles } = await build({
    ...buildOptions,
    ...inMemory,
    // The functions' builds do both. A minified module would have lost the comments by which unused calls are removed.
    banner: {},
    minify: false,
    splitting: true,
    plugins: [readNames, omitUnneeded],
    entryPoints: [...names.keys()].map((name) => ({ in: name, out: entryOf(name) })),
    chunkNames: "node_modules/@aws-sdk/[name]-[hash]",
  });
  const nameOf = (path: string) => relative(join(root, inMemory.outdir), path).replaceAll(sep, "/");
  const contents = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
  // As these packages declare of themselves.
  const prebuilt = (path: string) => ({ path, namespace: "prebuilt", sideEffects: false });
  return {
    name: "prebuilt-packages",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: large }, ({ path, namespace }) =>
        namespace === "file" && names.has(path) ? prebuilt(`${entryOf(path)}.mjs`) : undefined,
      );
      onResolve({ filter: /^\./, namespace: "prebuilt" }, ({ path, importer }) =>
        prebuilt(posix.join(posix.dirname(importer), path)),
      );
      onLoad({ filter: /^/, namespace: "prebuilt" }, ({ path }) => {
        const text = contents.get(path);
        return text === undefined ? undefined : { contents: text, resolveDir: root };
      });
    },
  };
}

/** What sources import of each large package. A name that this overlooks fails the build of its function (`logOverride`). */
async function usedNames(sources: readonly string[]): Promise<Map<string, Set<string>>> {
  const names = new Map<string, Set<string>>();
  const add = (from: string, used: readonly string[]) =>
    names.set(from, new Set([...(names.get(from) ?? []), ...used].sort()));
  for (const source of sources) {
    for (const [, list = "", from = ""] of source.matchAll(/^(?:import|export) \{([^}]*)\} from "([^"]+)";/gm)) {
      const used = list.split(",").map((part) => part.trim().split(" as ")[0] ?? "");
      if (large.test(from))
        add(
          from,
          used.filter((name) => name !== "" && !name.startsWith("type ")),
        );
    }
    for (const [, local = "", from = ""] of source.matchAll(/^import \* as (\w+) from "([^"]+)";/gm)) {
      if (!large.test(from)) continue;
      const exported: object = await import(from);
      const used = [...source.matchAll(new RegExp(`\\b${local}\\.(\\w+)`, "g"))].map(([, name = ""]) => name);
      add(
        from,
        used.filter((name) => name in exported),
      );
    }
  }
  return names;
}
