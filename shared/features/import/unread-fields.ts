/**
 * The paths of fields whose values are not read, because they are of another type or beyond what is possible. `raw` is what a file
 * has, `read` what its schema makes of it: such a value becomes an empty one.
 */
export function unreadFields(raw: unknown, read: unknown, except: ReadonlySet<string> = none): string[] {
  const found: string[] = [];
  compare(raw, read, "", except, found);
  return found;
}

const none: ReadonlySet<string> = new Set();

function compare(raw: unknown, read: unknown, path: string, except: ReadonlySet<string>, found: string[]): void {
  if (isNothing(raw) || raw === read) return;
  if (isNothing(read)) found.push(path);
  else if (Array.isArray(read)) {
    // Entries that are not read leave no gap, so that the others have other positions.
    if (!Array.isArray(raw) || raw.length !== read.length) found.push(path);
    else for (const [at, one] of read.entries()) compare(raw[at], one, `${path}.${at}`, except, found);
  } else if (typeof read === "object" && typeof raw === "object")
    for (const [name, one] of Object.entries(read as object))
      if (!except.has(name))
        compare((raw as Record<string, unknown>)[name], one, path === "" ? name : `${path}.${name}`, except, found);
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);
