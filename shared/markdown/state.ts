import type { MarkdownIt, StateCore } from "markdown-it";
import { Element } from "./element.ts";
import type { Facts } from "./facts.ts";
import { HtmlStash } from "./html-stash.ts";

/** One rendering: what is known, what was found, and the text on its way from lines to a tree. */
export class RenderState {
  readonly facts: Facts;
  readonly html = new HtmlStash();
  readonly root = new Element("div");
  lines: string[] = [];
  readonly mentionedUserIds = new Set<number>();
  readonly mentionedGroupIds = new Set<number>();
  readonly links = new Set<string>();
  readonly uploadPaths = new Set<string>();
  channelWildcard = false;
  topicWildcard = false;
  hasImage = false;

  constructor(facts: Facts) {
    this.facts = facts;
  }
}

/** Adds a step to the chain of a markdown-it instance; the render state travels in its `env`. */
export function addStep(md: MarkdownIt, name: string, step: (state: RenderState, core: StateCore) => void): void {
  md.core.ruler.push(name, (core) => step((core.env as { render: RenderState }).render, core));
}
