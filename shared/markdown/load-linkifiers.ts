import type { Linkifier } from "./linkifiers.ts";

const compiled = new Map<string, Linkifier | undefined>();

/** Compiles linkifiers, each once per process, and loads the engine for them only if there are any; drops invalid ones. */
export async function loadLinkifiers(
  linkifiers: readonly { pattern: string; urlTemplate: string }[],
): Promise<Linkifier[]> {
  if (linkifiers.length === 0) return [];
  const { compileLinkifier } = await import("./linkifiers.ts");
  // Compiling takes longer than rendering; a process that serves many organizations forgets them all now and then.
  if (compiled.size > 500) compiled.clear();
  return linkifiers.flatMap(({ pattern, urlTemplate }) => {
    const key = JSON.stringify([pattern, urlTemplate]);
    if (!compiled.has(key)) compiled.set(key, compileLinkifier(pattern, urlTemplate));
    return compiled.get(key) ?? [];
  });
}
