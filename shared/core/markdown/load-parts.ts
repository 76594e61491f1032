import { ProcessCache } from "../../base/process-cache.ts";
import type { CompiledLinkifier } from "./linkifiers.ts";

let domains: Promise<ReadonlySet<string>> | undefined;

/** The top-level domains, without those that are common file extensions; loaded once per process. */
export function loadTopLevelDomains(): Promise<ReadonlySet<string>> {
  domains ??= import("tlds", { with: { type: "json" } }).then((module) => {
    const names = new Set<string>(module.default);
    for (const ending of ["java", "md", "mov", "py", "zip"]) names.delete(ending);
    return names;
  });
  return domains;
}

/** Cached, because compiling takes longer than rendering. The list is empty for an invalid linkifier. */
const compiled = new ProcessCache<string, readonly CompiledLinkifier[]>({ minRetained: 500 });

/** Compiles linkifiers, without invalid ones. Loads the regular-expression engine only if there are any. */
export async function loadLinkifiers(
  linkifiers: readonly { pattern: string; urlTemplate: string }[],
): Promise<CompiledLinkifier[]> {
  if (linkifiers.length === 0) return [];
  const { compileLinkifier } = await import("./linkifiers.ts");
  return linkifiers.flatMap(({ pattern, urlTemplate }) =>
    compiled.getOrAdd(JSON.stringify([pattern, urlTemplate]), () => {
      const linkifier = compileLinkifier(pattern, urlTemplate);
      return linkifier ? [linkifier] : [];
    }),
  );
}
