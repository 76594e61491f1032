/**
 * A node of the document tree. Like in Python's ElementTree, on which Zulip's renderer relies, `text` precedes the first child
 * and `tail` follows the closing tag: the rules for lists and line breaks depend on this.
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

  constructor(tag: string, attributes: Record<string, string> = {}, text = "") {
    this.tag = tag;
    this.attributes = attributes;
    this.text = text;
  }

  add(tag: string, attributes: Record<string, string> = {}, text = ""): Element {
    const child = new Element(tag, attributes, text);
    this.children.push(child);
    return child;
  }

  get lastChild(): Element | undefined {
    return this.children.at(-1);
  }
}

/** An element whose text is not parsed for inline constructs. */
export function atomicElement(tag: string, attributes: Record<string, string>, text: string): Element {
  const element = new Element(tag, attributes, text);
  element.atomic = true;
  return element;
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
