import { Element } from "./element.ts";
import { frameMark, hasMark, htmlMark, htmlMarks } from "./marks.ts";
import type { RenderInputs } from "./render-inputs.ts";
import { newScanBudget } from "./scan-budget.ts";

/** Stores HTML that the renderer made itself (code, formulas, spoiler frames) while the text is parsed. */
class HtmlStash {
  readonly #entries: string[] = [];

  /** Stores trusted HTML and returns its mark, a placeholder in the text (see marks.ts). Input cannot contain marks. */
  store(html: string): string {
    this.#entries.push(html);
    return htmlMark(this.#entries.length - 1);
  }

  /** Stores the opening or closing HTML of a frame around other blocks. Its mark stays a block of its own. */
  storeFrame(html: string): string {
    return frameMark(this.#entries.push(html) - 1);
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
  readonly html = new HtmlStash();
  readonly root = new Element("div");
  lines: string[] = [];
  readonly mentionedUserIds = new Set<number>();
  readonly mentionedGroupIds = new Set<number>();
  readonly uploadPaths = new Set<string>();
  readonly scanBudget = newScanBudget();
  channelWildcard = false;
  topicWildcard = false;

  constructor(inputs: RenderInputs) {
    this.inputs = inputs;
  }
}
