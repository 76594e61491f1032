import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");

/**
 * Imports the files in a separate process with an empty environment, which must end by itself; returns what the imports
 * did.
 */
async function importFiles(files: string[]): Promise<{ sideEffects: string[]; handles: string[] }> {
  const program = join(import.meta.dirname, "import-all.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program, ...files],
    { cwd: root, env: {}, timeout: 120_000 },
  );
  return JSON.parse(stdout);
}

test("importing functions reads no environment, opens no files and starts no timers", async () => {
  const files = globSync("functions/*/*.ts", { cwd: root }).map((file) => join(root, file));

  expect(await importFiles(files)).toEqual({ sideEffects: [], handles: [] });
  expect(files.length).toBeGreaterThan(5);
});

test("a module that reads the environment or a file, or leaves a timer, is detected", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-imports-"));
  const file = join(folder, "functions", "hasty.ts");
  try {
    mkdirSync(join(folder, "functions"));
    writeFileSync(
      file,
      `import { readFileSync } from "node:fs";
       export const name = process.env.TABLE_NAME;
       readFileSync(import.meta.filename);
       export const timer = setTimeout(() => {}, 50);`,
    );

    const { sideEffects, handles } = await importFiles([file]);

    expect(sideEffects).toEqual(
      expect.arrayContaining([
        expect.stringContaining("process.env.TABLE_NAME"),
        expect.stringContaining("node:fs.readFileSync"),
      ]),
    );
    expect(handles).toContain("Timeout");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the files in the container's image name no package that its npm ci leaves out", async () => {
  // The host builds the page, and finds functions by their folders.
  const entryPoints = [
    ...["infra/local/start.ts", "infra/serve.ts"],
    ...globSync(["functions/*/*.ts", "web/**/*.{ts,tsx}"], { cwd: root }),
  ];
  const { metafile } = await build({
    ...{ absWorkingDir: root, entryPoints, outdir: "unwritten", write: false, metafile: true },
    ...{ bundle: true, splitting: true, packages: "external", platform: "node", format: "esm", logLevel: "silent" },
  });
  const files = Object.keys(metafile.inputs).filter((file) => /\.tsx?$/.test(file));
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

  const named = files.flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    return Object.keys(devDependencies)
      .filter((name) => source.includes(`"${name}"`) || source.includes(`"${name}/`))
      .map((name) => `${file}: ${name}`);
  });

  expect(named).toEqual([]);
  expect(files).toContain("infra/generate/emoji-table.ts");
});
