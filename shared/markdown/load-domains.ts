let domains: Promise<ReadonlySet<string>> | undefined;

/** The top-level domains, without those that are common file endings (decision 25); loaded once per process. */
export function loadTopLevelDomains(): Promise<ReadonlySet<string>> {
  domains ??= import("tlds", { with: { type: "json" } }).then((module) => {
    const names = new Set<string>(module.default);
    for (const ending of ["java", "md", "mov", "py", "zip"]) names.delete(ending);
    return names;
  });
  return domains;
}
