import { Element } from "../element.ts";
import { hasMark, nodeMark, nodeMarks } from "../marks.ts";
import type { RenderState } from "../state.ts";

/** The position of a construct and its replacement, an element or text. */
export interface InlineMatch {
  start: number;
  end: number;
  node: Element | string;
}

/** A kind of inline construct. In order of precedence, each rule scans the whole text before the next one does. */
export interface InlineRule {
  /** A cheap test whether the text may contain such a construct. */
  mayOccur(text: string): boolean;
  /** Matches from left to right, not overlapping. */
  find(text: string, inline: InlineParser): Iterable<InlineMatch>;
  /** Whether the rule scans each string only once, because it could match its own result. */
  once?: boolean;
  /**
   * A sign that may pair with a later one once the construct between them is replaced: for example, `**a*b*` is emphasis within
   * emphasis. After each match, the search resumes at the last sign before the match.
   */
  pairsAround?: string;
}

// When a construct is replaced, another one may begin after it, so rules make several passes. After these, no more are found in
// practice.
const maxPasses = 4;
// How often a search may resume at an earlier sign. Each time costs a scan of the text.
const maxResumptions = 300;
// Constructs nested more deeply stay text.
const maxDepth = 40;

/**
 * Replaces constructs with marks, which rules of lower precedence treat as opaque, and builds elements from the marks after all
 * rules have run.
 */
export class InlineParser {
  readonly state: RenderState;
  readonly #rules: InlineRule[];
  readonly #nodes: (Element | string)[] = [];
  #depth = 0;

  constructor(rules: InlineRule[], state: RenderState) {
    this.#rules = rules;
    this.state = state;
  }

  /** Parses the strings of a tree in place. */
  parse(root: Element): void {
    const stack = [root];
    for (let current = stack.pop(); current; current = stack.pop()) {
      const inserted: { child: Element; nodes: Element[] }[] = [];
      // Elements from a tail are inserted after the tail's element, so this loop reaches them too.
      for (const [index, child] of current.children.entries()) {
        if (child.text !== "" && !child.atomic) {
          const text = this.#replace(child.text, 0);
          child.text = "";
          const nodes = this.#build(text, child, false);
          stack.push(...nodes);
          inserted.push({ child, nodes });
        }
        if (child.tail !== "" && !child.tailIsAtomic) {
          const holder = new Element(this.state.budget, "");
          const nodes = this.#build(this.#replace(child.tail, 0), holder, true);
          child.tail = holder.tail;
          current.children.splice(index + 1, 0, ...nodes);
        }
        if (child.children.length > 0) stack.push(child);
      }
      for (const { child, nodes } of inserted) child.children.unshift(...nodes);
    }
  }

  /** Replaces the marks in a string with the plain text of their elements. */
  plainText(text: string): string {
    return text.replace(nodeMarks(), (_, id: string) => {
      const node = this.#nodes[Number(id)];
      return node === undefined ? "" : typeof node === "string" ? node : this.#textOf(node);
    });
  }

  #textOf(element: Element): string {
    const parts = element.children.map((child) => this.#textOf(child) + this.plainText(child.tail));
    return this.plainText(element.text) + parts.join("");
  }

  /** Replaces the constructs in a string with marks, by the rules from index `firstRule` on. */
  #replace(text: string, firstRule: number): string {
    if (this.#depth >= maxDepth) return text;
    this.#depth += 1;
    const { budget } = this.state;
    let data = text;
    for (const [index, rule] of this.#rules.entries()) {
      if (index < firstRule) continue;
      const passes = rule.once ? 1 : maxPasses;
      for (let pass = 0; pass < passes && rule.mayOccur(data); pass += 1) {
        budget.takeCharacters(data.length);
        const replaced = rule.pairsAround
          ? this.#applyAround(rule, rule.pairsAround, data, index)
          : this.#apply(rule, data, index);
        if (replaced === data) break;
        data = replaced;
      }
    }
    this.#depth -= 1;
    return data;
  }

  /** Replaces the constructs that one rule finds. `index` is the rule's. */
  #apply(rule: InlineRule, data: string, index: number): string {
    let output = "";
    let end = 0;
    for (const match of rule.find(data, this)) {
      output += data.slice(end, match.start) + this.#stash(match.node, index);
      end = match.end;
    }
    return end === 0 && output === "" ? data : output + data.slice(end);
  }

  /** Like `#apply`, for a rule with `pairsAround`: resumes at the last `sign` before each match. */
  #applyAround(rule: InlineRule, sign: string, text: string, index: number): string {
    let data = text;
    let from = 0;
    for (let resumptions = 0; resumptions < maxResumptions; resumptions += 1) {
      const [match] = rule.find(data.slice(from), this);
      this.state.budget.takeCharacters(match ? match.end : data.length - from);
      if (!match) return data;
      const start = from + match.start;
      data = data.slice(0, start) + this.#stash(match.node, index) + data.slice(from + match.end);
      const signBefore = start === 0 ? -1 : data.lastIndexOf(sign, start - 1);
      from = signBefore === -1 ? start : signBefore;
    }
    return data.slice(0, from) + this.#apply(rule, data.slice(from), index);
  }

  /** Stores a node, after replacing the constructs of lower precedence in it, and returns its mark. */
  #stash(node: Element | string, index: number): string {
    if (typeof node !== "string") this.#replaceIn(node, index);
    return nodeMark(this.#nodes.push(node) - 1);
  }

  #replaceIn(node: Element, index: number): void {
    if (node.atomic) return;
    for (const element of [node, ...node.children]) {
      if (element.text !== "" && !element.atomic) element.text = this.#replace(element.text, index + 1);
      if (element.tail !== "") element.tail = this.#replace(element.tail, index);
    }
  }

  /** Assigns the text before the first mark to the parent (as its text or tail), and returns the elements of the marks. */
  #build(data: string, parent: Element, isTail: boolean): Element[] {
    const result: Element[] = [];
    const append = (text: string): void => {
      const last = result.at(-1);
      if (last) {
        last.tail += text;
        last.tailIsAtomic ||= parent.atomic && !isTail;
      } else if (isTail) parent.tail += text;
      else parent.text += text;
    };
    let end = 0;
    for (const match of hasMark(data) ? data.matchAll(nodeMarks()) : []) {
      append(data.slice(end, match.index));
      end = match.index + match[0].length;
      const node = this.#nodes[Number(match[1])];
      if (typeof node === "string") append(node);
      else if (node) {
        this.#buildWithin(node);
        result.push(node);
      }
    }
    append(data.slice(end));
    return result;
  }

  /** Builds elements from the marks in an element and its children. */
  #buildWithin(node: Element): void {
    for (const child of [node, ...node.children]) {
      if (child !== node && child.tail.trim() !== "") {
        const tail = child.tail;
        child.tail = "";
        const nodes = this.#build(tail, child, true);
        node.children.splice(node.children.indexOf(child) + 1, 0, ...nodes);
      }
      if (child.text.trim() !== "") {
        const text = child.text;
        child.text = "";
        child.children.unshift(...this.#build(text, child, false));
      }
    }
  }
}
