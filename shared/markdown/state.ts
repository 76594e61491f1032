import { Element } from "./element.ts";
import type { RenderFacts } from "./facts.ts";
import { frameMark, hasMark, htmlMark, htmlMarks } from "./marks.ts";
import { newScanBudget } from "./scan-budget.ts";

/** HTML that the renderer made itself (code, formulas, spoiler frames), kept out of the text while that is parsed. */
export class HtmlStash {
  readonly #entries: string[] = [];

  /** Keeps trusted HTML and returns what stands for it in the text; input cannot contain such a mark. */
  store(html: string): string {
    this.#entries.push(html);
    return htmlMark(this.#entries.length - 1);
  }

  /** The same for an opening or closing part of what surrounds other blocks: it must stay a block of its own. */
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

  /** The block of HTML that is all of a paragraph's text, if it is one: it needs no paragraph around it. */
  soleBlock(text: string): string | undefined {
    const parts = this.split(text);
    const html = parts.length === 1 ? parts[0]?.html : undefined;
    return html !== undefined && /^<\/?div\b/.test(html) ? html : undefined;
  }
}

/** One rendering: what is known, what was found, and the text on its way from lines to a tree. */
export class RenderState {
  readonly facts: RenderFacts;
  readonly html = new HtmlStash();
  readonly root = new Element("div");
  lines: string[] = [];
  readonly mentionedUserIds = new Set<number>();
  readonly mentionedGroupIds = new Set<number>();
  readonly links = new Set<string>();
  readonly uploadPaths = new Set<string>();
  /** What linkifiers may still scan. */
  readonly scanBudget = newScanBudget();
  channelWildcard = false;
  topicWildcard = false;
  hasImage = false;

  constructor(facts: RenderFacts) {
    this.facts = facts;
  }
}
