import type { Element } from "../element.ts";

/** Looks at the first of the blocks; when it is its kind, consumes it, adds to the parent, and returns true. */
export type BlockRule = (parent: Element, blocks: string[], parser: BlockParser) => boolean;

type Surroundings = "list" | "looselist" | "blockquote" | "detabbed";

// Deeper quotes and lists are text. The service stops at a similar depth, when its stack runs low.
const maxDepth = 60;

/** Reads blocks of text, which blank lines separate, into a tree. */
export class BlockParser {
  readonly #rules: BlockRule[];
  readonly #surroundings: Surroundings[] = [];
  #depth = 0;

  constructor(rules: BlockRule[]) {
    this.#rules = rules;
  }

  /** Whether another level of nesting may be opened. */
  get mayNest(): boolean {
    return this.#depth < maxDepth;
  }

  /** Whether what is being read lies directly in surroundings of that kind. */
  isIn(kind: Surroundings): boolean {
    return this.#surroundings.at(-1) === kind;
  }

  /** Runs a function with other surroundings. */
  within(kind: Surroundings, read: () => void): void {
    this.#surroundings.push(kind);
    read();
    this.#surroundings.pop();
  }

  /** Reads text that may hold several blocks. */
  readText(parent: Element, text: string): void {
    this.readBlocks(parent, text.split("\n\n"));
  }

  /** Reads blocks until none is left; consumes the array. */
  readBlocks(parent: Element, blocks: string[]): void {
    this.#depth += 1;
    while (blocks.length > 0) {
      if (!this.#rules.some((rule) => rule(parent, blocks, this))) blocks.shift();
    }
    this.#depth -= 1;
  }
}

/** Takes the indentation off the lines that have it. */
export function looseDetab(text: string, spaces: number): string {
  const indent = " ".repeat(spaces);
  return text
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(spaces) : line))
    .join("\n");
}
