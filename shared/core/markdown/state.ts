import { RenderBudget } from "./budget.ts";
import { Element } from "./element.ts";
import { frameMark, hasMark, htmlMark, htmlMarks } from "./marks.ts";
import { newMatchBudget } from "./match-budget.ts";
import type { RenderInputs } from "./render-inputs.ts";

/** Stores HTML that the renderer made itself (code, formulas, spoiler frames) while the text is parsed. */
class HtmlStash {
  readonly #entries: string[] = [];
  readonly #budget: RenderBudget;

  constructor(budget: RenderBudget) {
    this.#budget = budget;
  }

  /** Stores trusted HTML and returns its mark, a placeholder in the text (see marks.ts). Input cannot contain marks. */
  store(html: string): string {
    return htmlMark(this.#push(html));
  }

  /** Stores the opening or closing HTML of a frame around other blocks. Its mark stays a block of its own. */
  storeFrame(html: string): string {
    return frameMark(this.#push(html));
  }

  /** Stores HTML and returns its ID. Throws a `RenderLimitError` when the message may not have it. */
  #push(html: string): number {
    this.#budget.takeHtml(html);
    return this.#entries.push(html) - 1;
  }

  /** Splits text into plain parts and the HTML between them. */
  split(text: string): { text?: string; html?: string }[] {
    if (!hasMark(text)) return [{ text }];
    const parts: { text?: string; html?: string }[] = [];
    let end = 0;
    for (const match of text.matchAll(htmlMarks())) {
      if (match.index > end) parts.push({ text: text.slice(end, match.index) });
      parts.push({ html: this.#entries[Number(match[1])] ?? "" });
      end = match.index + match[0].length;
    }
    if (end < text.length) parts.push({ text: text.slice(end) });
    return parts;
  }

  /** The stored block-level HTML, if a paragraph's text consists of nothing else: it then needs no `p` around it. */
  soleBlock(text: string): string | undefined {
    const parts = this.split(text);
    const html = parts.length === 1 ? parts[0]?.html : undefined;
    return html !== undefined && /^<\/?div\b/.test(html) ? html : undefined;
  }
}

/**
 * The state of rendering one message: its inputs, the content as lines and then as a tree, and the mentions and files in it.
 */
export class RenderState {
  readonly inputs: RenderInputs;
  readonly budget = new RenderBudget();
  readonly html = new HtmlStash(this.budget);
  readonly root = new Element(this.budget, "div");
  lines: string[] = [];
  readonly mentionedUserIds = new Set<number>();
  readonly mentionedGroupIds = new Set<number>();
  readonly uploadPaths = new Set<string>();
  readonly matchBudget = newMatchBudget();
  channelWildcard = false;
  topicWildcard = false;

  constructor(inputs: RenderInputs) {
    this.inputs = inputs;
  }
}
