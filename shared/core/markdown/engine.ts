import { bulletList, listIndent, numberedList } from "./blocks/list.ts";
import { BlockParser } from "./blocks/parser.ts";
import { blockQuote } from "./blocks/quote.ts";
import { emptyBlock, heading, horizontalRule, indentedCode, paragraph } from "./blocks/simple.ts";
import { table } from "./blocks/table.ts";
import { htmlOf } from "./html.ts";
import { autolink, linkifierRule } from "./inline/autolink.ts";
import { channelLinkRule, messageLinkRule, topicLinkRule } from "./inline/channel-links.ts";
import { codeSpan } from "./inline/code-span.ts";
import { emojiCharacter, emojiName, emoticon } from "./inline/emoji.ts";
import { link } from "./inline/link.ts";
import { groupMentionRule, userMentionRule } from "./inline/mentions.ts";
import { InlineParser } from "./inline/parser.ts";
import {
  deletion,
  emphasis,
  entity,
  inlineTex,
  lineBreak,
  strong,
  strongEmphasis,
  timestampRule,
} from "./inline/simple.ts";
import { addLineBreaks, replaceIndentedCode } from "./layout.ts";
import { collectFilesAndAddPreviews } from "./previews.ts";
import { replaceFences, separateLists } from "./source/fences.ts";
import { normalizeWhitespace } from "./source/whitespace.ts";
import type { RenderState } from "./state.ts";

const beforeLinkifiers = [
  codeSpan,
  strongEmphasis,
  userMentionRule,
  inlineTex,
  messageLinkRule,
  topicLinkRule,
  channelLinkRule,
  timestampRule,
  groupMentionRule,
  link,
  autolink,
];
const afterLinkifiers = [entity, strong, emphasis, deletion, emojiName, emoticon, lineBreak, emojiCharacter];

/** Rendering step: parses the text of all blocks into inline elements, by rules in order of precedence. */
function parseInlines(state: RenderState): void {
  const linkifiers = state.inputs.linkifiers.map(linkifierRule);
  new InlineParser([...beforeLinkifiers, ...linkifiers, ...afterLinkifiers], state).parse(state.root);
}

const blockRules = [
  emptyBlock,
  listIndent,
  indentedCode,
  heading,
  table,
  horizontalRule,
  numberedList,
  bulletList,
  blockQuote,
  paragraph,
];

/** Rendering step: parses lines into a tree of blocks, by rules in order of precedence. */
const parseBlocks = (state: RenderState) =>
  new BlockParser(blockRules, state.budget).readText(state.root, state.lines.join("\n"));

/**
 * The steps from lines to a tree. Zulip's dialect differs from CommonMark in the precedence of nearly every construct: it
 * parses whole blocks instead of lines, and one kind of construct at a time.
 */
const steps = [
  separateLists,
  normalizeWhitespace,
  replaceFences,
  parseBlocks,
  replaceIndentedCode,
  parseInlines,
  addLineBreaks,
  collectFilesAndAddPreviews,
];

/** The HTML of the state's lines. The steps also collect mentions and links in the state. */
export function renderLines(state: RenderState): string {
  for (const step of steps) step(state);
  return htmlOf(state);
}
