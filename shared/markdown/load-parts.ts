import { ProcessCache } from "../process-cache.ts";
import type { Linkifier } from "./linkifiers.ts";

let domains: Promise<ReadonlySet<string>> | undefined;

/** The top-level domains, without those that are common file endings ; loaded once per process. */
export function loadTopLevelDomains(): Promise<ReadonlySet<string>> {
  domains ??= import("tlds", { with: { type: "json" } }).then((module) => {
    const names = new Set<string>(module.default);
    for (const ending of ["java", "md", "mov", "py", "zip"]) names.delete(ending);
    return names;
  });
  return domains;
}

/** Compiling takes longer than rendering. None for a linkifier that is invalid. */
const compiled = new ProcessCache<string, readonly Linkifier[]>({ max: 500 });

/** Compiles linkifiers, each once per process, and loads the engine for them only if there are any; drops invalid ones. */
export async function loadLinkifiers(
  linkifiers: readonly { pattern: string; urlTemplate: string }[],
): Promise<Linkifier[]> {
  if (linkifiers.length === 0) return [];
  const { compileLinkifier } = await import("./linkifiers.ts");
  return linkifiers.flatMap(({ pattern, urlTemplate }) =>
    compiled.getOrAdd(JSON.stringify([pattern, urlTemplate]), () => {
      const linkifier = compileLinkifier(pattern, urlTemplate);
      return linkifier ? [linkifier] : [];
    }),
  );
}
