/** What an import brings, what it cannot, and why. */
export class ImportReport {
  readonly #comes = new Map<string, number>();
  readonly #missing = new Map<string, { count: number; examples: string[] }>();

  comes(what: string, count = 1): void {
    this.#comes.set(what, (this.#comes.get(what) ?? 0) + count);
  }

  /** Something that does not come, or not as it was. A few examples are shown. */
  lacks(what: string, count = 1, example?: string): void {
    const known = this.#missing.get(what) ?? { count: 0, examples: [] };
    known.count += count;
    if (example !== undefined && known.examples.length < maxExamples) known.examples.push(example);
    this.#missing.set(what, known);
  }

  /** What does not come of a list or a table, as the end of a refusal; empty if everything of it comes. */
  missingOf(name: string): string {
    const found = [...this.#missing].filter(([what]) => what.includes(name));
    return found.map(([what, { count, examples }]) => `; ${count} ${what}${named(examples, count)}`).join("");
  }

  toString(): string {
    const counted = (count: number, what: string) => `  ${count.toLocaleString("en").padStart(9)}  ${what}`;
    const comes = [...this.#comes].filter(([, count]) => count > 0).map(([what, count]) => counted(count, what));
    const missing = [...this.#missing].map(
      ([what, { count, examples }]) => counted(count, what) + named(examples, count),
    );
    return [
      "Imported:",
      ...comes,
      missing.length > 0 ? "Not imported, or changed:" : "Nothing is left out or changed.",
      ...missing,
    ].join("\n");
  }
}

const named = (examples: readonly string[], count: number): string =>
  examples.length > 0 ? ` (${examples.join(", ")}${count > examples.length ? ", …" : ""})` : "";

const maxExamples = 5;
