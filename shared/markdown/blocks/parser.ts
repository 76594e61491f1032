import type { RenderBudget } from "../budget.ts";
import type { Element } from "../element.ts";

/** If the rule matches the first block, it consumes the block, adds elements to the parent, and returns true. */
export type BlockRule = (parent: Element, blocks: string[], parser: BlockParser) => boolean;

/**
 * The constructs that contain other blocks, by their names in Python-Markdown, on which Zulip's renderer is based. In a "list",
 * an item's text has no paragraph; a "looselist" has blank lines between its items; a "detabbed" block belongs to the item
 * above it, under which it was indented.
 */
type Container = "list" | "looselist" | "blockquote" | "detabbed";

// Quotes and lists nested more deeply are left as plain text. Zulip stops at a similar depth, to limit recursion.
const maxDepth = 60;

/** Parses blocks of text, which are separated by blank lines, into a tree. */
export class BlockParser {
  readonly budget: RenderBudget;
  readonly #rules: BlockRule[];
  readonly #containers: Container[] = [];
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

  /** Parses text that may contain several blocks. */
  readText(parent: Element, text: string): void {
    this.readBlocks(parent, text.split("\n\n"));
  }

  /** Parses the blocks in order and empties the array. */
  readBlocks(parent: Element, blocks: string[]): void {
    this.#depth += 1;
    while (blocks.length > 0) {
      this.budget.takeCharacters(blocks[0]?.length ?? 0);
      if (!this.#rules.some((rule) => rule(parent, blocks, this))) blocks.shift();
    }
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
