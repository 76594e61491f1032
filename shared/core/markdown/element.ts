import type { RenderBudget } from "./budget.ts";

/** What an element takes from the budget. */
interface ElementOptions {
  /** How many elements it counts as. */
  weight?: number;
}

/**
 * A node of the document tree. Like in Python's ElementTree, on which Zulip's renderer relies, `text` precedes the first child
 * and `tail` follows the closing tag: the rules for lists and line breaks depend on this.
 *
 * Each element takes from the budget of its message. There is no way to make one without.
 */
export class Element {
  readonly attributes: Record<string, string>;
  children: Element[] = [];
  text: string;
  tail = "";
  /** Whether `text` is final, so that it is not parsed for inline constructs. */
  atomic = false;
  /** Whether `tail` is final, because it lies within an element whose text is final. */
  tailIsAtomic = false;
  tag: string;
  readonly #budget: RenderBudget;

  /** Throws a `RenderLimitError` when the message may not have another element. */
  constructor(
    budget: RenderBudget,
    tag: string,
    attributes: Record<string, string> = {},
    text = "",
    { weight = 1 }: ElementOptions = {},
  ) {
    budget.takeElements(weight, bytesOfTag(tag, attributes));
    this.#budget = budget;
    this.tag = tag;
    this.attributes = attributes;
    this.text = text;
  }

  add(tag: string, attributes: Record<string, string> = {}, text = ""): Element {
    const child = new Element(this.#budget, tag, attributes, text);
    this.children.push(child);
    return child;
  }

  get lastChild(): Element | undefined {
    return this.children.at(-1);
  }
}

/** An element whose text is not parsed for inline constructs. */
export function atomicElement(
  budget: RenderBudget,
  tag: string,
  attributes: Record<string, string>,
  text: string,
  options?: ElementOptions,
): Element {
  const element = new Element(budget, tag, attributes, text, options);
  element.atomic = true;
  return element;
}

/** The size of an element's start tag without escaping. */
function bytesOfTag(tag: string, attributes: Record<string, string>): number {
  let bytes = tag.length + 2;
  for (const name in attributes) bytes += name.length + (attributes[name]?.length ?? 0) + 4;
  return bytes;
}

const blockTags = new Set(
  "address article aside blockquote dd details div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);

/** Whether a tag is a block-level tag, which is written on lines of its own. */
export function isBlockTag(tag: string): boolean {
  return blockTags.has(tag);
}
