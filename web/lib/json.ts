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

/** The members of an object, also if it is none. */
export const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text; empty for what is none. Numbers are texts, too. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** The choices of a profile field in their order, from its `field_data`. */
export const choicesIn = (fieldData: string): { key: string; text: string; order: number }[] =>
  [...membersOf(parseJson(fieldData))]
    .map(([key, choice]) => {
      const members = membersOf(choice);
      return { key, text: textOf(members.get("text")), order: Number(textOf(members.get("order"))) || 0 };
    })
    .sort((a, b) => a.order - b.order);
