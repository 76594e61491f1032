import { basename } from "node:path";
import type { Metafile } from "esbuild";
import { type Bundles, bundleFleet } from "../infra/build/bundle.ts";
import type { FleetMember } from "../infra/fleet.ts";

/** A bundle's size by origin, in KB, minified. */
interface Parts {
  sdk: number;
  zod: number;
  markdown: number;
  skein: number;
  other: number;
}

export interface BundleSize {
  /** "messages/send-message". */
  name: string;
  /** Loaded at startup. */
  parts: Parts;
  /** Loaded on demand. */
  laterKb: number;
  /** Packages that are loaded at startup. */
  packages: string[];
  /** Whether the Markdown renderer is loaded at startup. */
  rendersText: boolean;
}

export const loadedKb = ({ parts }: Pick<BundleSize, "parts">): number =>
  Object.values(parts).reduce((sum, kb) => sum + kb, 0);

/** Bundles the fleet into a folder and returns the size of each bundle, in the fleet's order. */
export async function bundlesIn(outdir: string, fleet: readonly FleetMember[]) {
  const bundles = await bundleFleet(fleet, outdir);
  return { sizes: sizesOf(bundles, fleet), folderOf: bundles.folderOf };
}

export const sizesOf = ({ metafileOf }: Pick<Bundles, "metafileOf">, fleet: readonly FleetMember[]): BundleSize[] =>
  fleet.map((member) => ({ name: `${member.resource}/${member.name}`, ...sizeOf(metafileOf(member), "index.mjs") }));

/** The size of a bundle whose entry file is `entryFile`. */
export function sizeOf({ outputs }: Metafile, entryFile: string): Omit<BundleSize, "name"> {
  const entry = Object.keys(outputs).find((path) => basename(path) === entryFile) ?? "";
  /** The bundle's files that the entry imports, directly or not, by imports of some kinds. */
  const reach = (kinds: readonly string[]) => {
    const reached = new Set([entry]);
    for (const path of reached)
      for (const next of outputs[path]?.imports ?? [])
        if (kinds.includes(next.kind) && next.path in outputs) reached.add(next.path);
    return reached;
  };
  const startupFiles = reach(["import-statement"]);
  const allFiles = reach(["import-statement", "dynamic-import", "require-call"]);
  const parts: Parts = { sdk: 0, zod: 0, markdown: 0, skein: 0, other: 0 };
  const packages = new Set<string>();
  for (const path of startupFiles)
    for (const [input, { bytesInOutput }] of Object.entries(outputs[path]?.inputs ?? {})) {
      const source = packageOf(input);
      packages.add(source);
      parts[partOf(source)] += bytesInOutput / 1000;
    }
  const lazyFiles = [...allFiles].filter((path) => !startupFiles.has(path));
  return {
    parts,
    laterKb: lazyFiles.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0) / 1000,
    packages: [...packages].sort(),
    rendersText: [...startupFiles].some((path) => rendererIn(outputs[path]?.inputs)),
  };
}

const rendererIn = (inputs: object = {}) =>
  Object.keys(inputs).some((input) => input.endsWith("shared/core/markdown/engine.ts"));

const packageOf = (input: string) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(input)?.[1] ?? "skein";

function partOf(source: string): keyof Parts {
  if (source === "skein") return "skein";
  if (/^(@aws-sdk|@smithy|@aws|tslib|bowser)/.test(source)) return "sdk";
  if (source === "zod") return "zod";
  return /katex|highlight|re2js|tlds|url-template|emoji/.test(source) ? "markdown" : "other";
}
