import type { MarkdownIt } from "markdown-it";
import { autolink } from "./inline/autolink.ts";
import { channelLinkRule, messageLinkRule, topicLinkRule } from "./inline/channel-links.ts";
import { codeSpan } from "./inline/code-span.ts";
import { emojiCharacter, emojiName, emoticon } from "./inline/emoji.ts";
import { deletion, emphasis, strong, strongEmphasis } from "./inline/emphasis.ts";
import { groupMentionRule } from "./inline/group-mention.ts";
import { link } from "./inline/link.ts";
import { linkifierRule } from "./inline/linkifier.ts";
import { InlineParser } from "./inline/parser.ts";
import { entity, lineBreak } from "./inline/simple.ts";
import { inlineTex } from "./inline/tex.ts";
import { timestamp } from "./inline/timestamp.ts";
import { userMentionRule } from "./inline/user-mention.ts";
import { addStep } from "./state.ts";

const beforeLinkifiers = [
  codeSpan,
  strongEmphasis,
  userMentionRule,
  inlineTex,
  messageLinkRule,
  topicLinkRule,
  channelLinkRule,
  timestamp,
  groupMentionRule,
  link,
  autolink,
];
const afterLinkifiers = [entity, strong, emphasis, deletion, emojiName, emoticon, lineBreak, emojiCharacter];

/** Plugin: the text of all blocks becomes inline elements, by kinds in order of precedence. */
export function inlines(md: MarkdownIt): void {
  addStep(md, "inlines", (state) => {
    const linkifiers = state.facts.linkifiers.map(linkifierRule);
    new InlineParser([...beforeLinkifiers, ...linkifiers, ...afterLinkifiers], state).parse(state.root);
  });
}
