/** Reads JSON that other people wrote: anything may be in it, or nothing. */

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The members of an object by name; empty for anything else. */
export const asMap = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

/** A list; empty for anything else. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text, also of a number; empty for anything else. */
export const asText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** The choices of a profile field in their order, from its `field_data`. */
export const choicesIn = (fieldData: string): { key: string; text: string; order: number }[] =>
  [...asMap(parseJson(fieldData))]
    .map(([key, choice]) => {
      const members = asMap(choice);
      return { key, text: asText(members.get("text")), order: Number(asText(members.get("order"))) || 0 };
    })
    .sort((a, b) => a.order - b.order);
