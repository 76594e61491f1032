import { limits } from "../../base/limits.ts";

/** The content would become larger, or take more work, than any message may. */
export class RenderLimitError extends Error {
  constructor() {
    super("The rendered content exceeds the limits of a message");
  }
}

/**
 * Characters that the parsers may read, again and again, in one message. The longest message of any kind that people write
 * takes a tenth of it. Reading them takes about 0.1 s.
 */
const maxCharactersRead = 10_000_000;

/**
 * The elements of formulas and highlighted code in one message. Those beyond it are shown as their source, so that there is
 * room for the rest of the message.
 */
const maxDecorationElements = 4000;
/** Those of one formula, which cannot be shown in parts: a browser takes a tenth of a second for them. */
const maxFormulaElements = 2500;

/**
 * Characters of formulas and code that are typeset or highlighted in one message, and how many characters of its budget each
 * takes: hostile code takes up to 25 µs for each of its characters, formulas more.
 */
const maxDecoratedCharacters = 4000;
const characterCosts = { code: 1, formula: 4 / 3 };

/**
 * What rendering one message may still build and do. Everything that makes the result larger takes from it first, so nothing
 * above the limits is built. It counts instead of measuring time, so that each machine renders the same message alike.
 */
export class RenderBudget {
  #elements: number = limits.renderedElements;
  #bytes: number = limits.renderedBytes;
  #characters = maxCharactersRead;
  #decorationElements = maxDecorationElements;
  #decoratedCharacters = maxDecoratedCharacters;

  /** Takes elements and the bytes of their HTML. Throws a `RenderLimitError` when there is no room for them. */
  takeElements(count: number, bytes: number): void {
    this.#elements -= count;
    this.#bytes -= bytes;
    if (this.#elements < 0 || this.#bytes < 0) throw new RenderLimitError();
  }

  /** Takes characters that are about to be read. Throws a `RenderLimitError` when too many have been read. */
  takeCharacters(count: number): void {
    this.#characters -= count;
    if (this.#characters < 0) throw new RenderLimitError();
  }

  /** How many more characters of such content may be decorated. */
  decoratedCharactersLeft(kind: keyof typeof characterCosts): number {
    return Math.max(0, Math.floor(this.#decoratedCharacters / characterCosts[kind]));
  }

  /** Takes characters that are about to be decorated, or gives back (a negative number); false when there is no room for them. */
  takeDecoratedCharacters(kind: keyof typeof characterCosts, count: number): boolean {
    this.#decoratedCharacters -= count * characterCosts[kind];
    return this.#decoratedCharacters >= 0;
  }

  /** Takes the elements of decorated content; false when it has too many, so that it must be shown as its source. */
  takeDecoration(kind: keyof typeof characterCosts, html: string): boolean {
    const count = countElements(html);
    if (count > this.#decorationElements || (kind === "formula" && count > maxFormulaElements)) return false;
    this.#decorationElements -= count;
    return true;
  }

  /** Takes the elements and bytes of HTML that the renderer made of code, a formula or an entity. */
  takeHtml(html: string): void {
    this.takeElements(countElements(html), html.length);
  }
}

/** The number of start tags in HTML that the renderer made. */
function countElements(html: string): number {
  let count = 0;
  for (let index = html.indexOf("<"); index !== -1; index = html.indexOf("<", index + 1))
    if (html[index + 1] !== "/") count += 1;
  return count;
}
