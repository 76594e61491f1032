/**
 * Readers of what the server sends. Each takes anything and returns a value of its type, so that a value of another type than
 * the API declares harms nothing but itself: views never meet one.
 */

export type Reader<T> = (value: unknown) => T;

export const text: Reader<string> = (value) => (typeof value === "string" ? value : "");
/** The path of a file of this server; anything else is not loaded. */
export const localPath: Reader<string> = (value) => /^\/[^/].*/.exec(text(value))?.[0] ?? "";
export const number: Reader<number> = (value) => (typeof value === "number" ? value : 0);
export const flag: Reader<boolean> = (value) => value === true;

/** An ID. Without one, a record cannot be told from others: this reader throws, and lists leave the record out. */
export const id: Reader<number> = (value) => {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${JSON.stringify(value)} is no ID`);
  return value as number;
};

export const orNull =
  <T>(type: "string" | "number" | "boolean", read: Reader<T>): Reader<T | null> =>
  (value) =>
    typeof value === type ? read(value) : null;

export const oneOf =
  <T>(values: readonly T[], fallback: NoInfer<T>): Reader<T> =>
  (value) =>
    values.find((known) => known === value) ?? fallback;

/** The members of an object, which has the names of `T` and any values; none of anything else. */
export const members = <T extends object = Record<string, unknown>>(
  value: unknown,
): { readonly [K in keyof T]?: unknown } => (typeof value === "object" && value !== null ? { ...value } : {});

/** A list, without the items that cannot be read; the console says which. */
export const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value) =>
    (Array.isArray(value) ? value : []).flatMap((item) => {
      try {
        return [read(item)];
      } catch (error) {
        console.error("Cannot read an item of a list:", error);
        return [];
      }
    });

/** The value of each member of an object. */
export const mapOf =
  <T>(read: Reader<T>): Reader<Map<string, T>> =>
  (value) =>
    new Map(
      list((entry) => [(entry as [string, unknown])[0], read((entry as [string, unknown])[1])] as const)(
        Object.entries(members(value)),
      ),
    );

/** The values of an object by the number that is their name. */
export const byNumber = <T>(map: ReadonlyMap<string, T>) =>
  new Map([...map].map(([name, value]) => [Number(name), value]));

/** An object with a reader for each of its members. */
export const record =
  <T extends object>(readers: { [K in keyof T]-?: Reader<T[K]> }): Reader<T> =>
  (value) => {
    if (typeof value !== "object" || value === null) throw new TypeError("There is no record");
    const fields = members(value);
    const read = Object.entries<Reader<unknown>>(readers).map(([name, reader]) => [name, reader(fields[name])]);
    return Object.fromEntries(read) as T;
  };
