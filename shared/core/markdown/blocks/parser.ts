import type { RenderBudget } from "../budget.ts";
import type { Element } from "../element.ts";

/**
 * If the rule matches the first block, it consumes the block, adds elements to the parent, and returns true. What it leaves of
 * the block, from the beginning of a line to the end, it puts back. It takes the characters that it reads from the budget.
 */
export type BlockRule = (parent: Element, blocks: string[], parser: BlockParser) => boolean;

/**
 * The constructs that contain other blocks, by their names in Python-Markdown, on which Zulip's renderer is based. In a "list",
 * an item's text has no paragraph; a "looselist" has blank lines between its items; a "detabbed" block belongs to the item
 * above it, under which it was indented.
 */
type Container = "list" | "looselist" | "blockquote" | "detabbed";

// Quotes and lists nested more deeply are left as plain text. Zulip stops at a similar depth, to limit recursion.
const maxDepth = 60;

/** What rules search for in a whole block. */
type Sought = "heading" | "pipe" | "rule" | "quote";

/** Parses blocks of text, which are separated by blank lines, into a tree. */
export class BlockParser {
  readonly budget: RenderBudget;
  readonly #rules: BlockRule[];
  readonly #containers: Container[] = [];
  /** What the current block, and so every rest of it, does not have: it is not searched again for each rest. */
  #absent = new Set<Sought>();
  #depth = 0;

  constructor(rules: BlockRule[], budget: RenderBudget) {
    this.budget = budget;
    this.#rules = rules;
  }

  /** Whether another level of nesting may be opened. */
  get mayNest(): boolean {
    return this.#depth < maxDepth;
  }

  isIn(kind: Container): boolean {
    return this.#containers.at(-1) === kind;
  }

  /** Runs `read`, which parses the content of a container of this kind. */
  within(kind: Container, read: () => void): void {
    this.#containers.push(kind);
    read();
    this.#containers.pop();
  }

  isAbsent = (what: Sought): boolean => this.#absent.has(what);

  /** Notes that the current block does not have what a rule searches for; returns false, as the rule does then. */
  noteAbsent(what: Sought): false {
    this.#absent.add(what);
    return false;
  }

  /** Parses text that may contain several blocks. */
  readText(parent: Element, text: string): void {
    this.readBlocks(parent, text.split("\n\n"));
  }

  /** Parses the blocks in order and empties the array. */
  readBlocks(parent: Element, blocks: string[]): void {
    this.#depth += 1;
    const outer = this.#absent;
    let absent = new Set<Sought>();
    while (blocks.length > 0) {
      this.#absent = absent;
      const [count, length] = [blocks.length, blocks[0]?.length ?? 0];
      if (!this.#rules.some((rule) => rule(parent, blocks, this))) blocks.shift();
      const isRest = blocks.length === count;
      this.budget.takeCharacters(length - (isRest ? (blocks[0]?.length ?? 0) : 0));
      if (!isRest) absent = new Set();
    }
    this.#absent = outer;
    this.#depth -= 1;
  }
}

/** Removes `spaces` spaces from the beginning of each line that has so many, and leaves the other lines unchanged. */
export function removeIndent(text: string, spaces: number): string {
  const indent = " ".repeat(spaces);
  return text
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(spaces) : line))
    .join("\n");
}
