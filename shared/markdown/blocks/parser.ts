import type { Element } from "../element.ts";

/** If the rule matches the first block, it consumes the block, adds elements to the parent, and returns true. */
export type BlockRule = (parent: Element, blocks: string[], parser: BlockParser) => boolean;

type Surroundings = "list" | "looselist" | "blockquote" | "detabbed";

// Deeper quotes and lists are text. Zulip stops at a similar depth, to limit recursion.
const maxDepth = 60;

/** Parses blocks of text, which are separated by blank lines, into a tree. */
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

  /** Whether the innermost surroundings are of this kind. */
  isIn(kind: Surroundings): boolean {
    return this.#surroundings.at(-1) === kind;
  }

  /** Runs `read` within surroundings of this kind. */
  within(kind: Surroundings, read: () => void): void {
    this.#surroundings.push(kind);
    read();
    this.#surroundings.pop();
  }

  /** Parses text that may contain several blocks. */
  readText(parent: Element, text: string): void {
    this.readBlocks(parent, text.split("\n\n"));
  }

  /** Parses blocks until none is left; consumes the array. */
  readBlocks(parent: Element, blocks: string[]): void {
    this.#depth += 1;
    while (blocks.length > 0) {
      if (!this.#rules.some((rule) => rule(parent, blocks, this))) blocks.shift();
    }
    this.#depth -= 1;
  }
}

/** Removes the indentation from the lines that have it, and keeps the others. */
export function looseDetab(text: string, spaces: number): string {
  const indent = " ".repeat(spaces);
  return text
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(spaces) : line))
    .join("\n");
}
